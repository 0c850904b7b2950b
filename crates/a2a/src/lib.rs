//! A2A wire types 1.0 and 0.3, agent cards, JCS and JWS; no IO.
