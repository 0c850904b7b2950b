-- Name of the agent @models/NAME through which people talk to the model itself; null if they cannot.
alter table model_settings add column agent_name text;
create unique index model_settings_agent_name on model_settings (agent_name);
