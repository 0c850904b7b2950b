--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: _sqlx_migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public._sqlx_migrations (
    version bigint NOT NULL,
    description text NOT NULL,
    installed_on timestamp with time zone DEFAULT now() NOT NULL,
    success boolean NOT NULL,
    checksum bytea NOT NULL,
    execution_time bigint NOT NULL
);


--
-- Name: accounts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.accounts (
    id uuid NOT NULL,
    namespace uuid NOT NULL,
    email_folded text,
    role text NOT NULL,
    state text NOT NULL,
    prefs text NOT NULL,
    created bigint NOT NULL,
    erase_at bigint,
    CONSTRAINT accounts_role_check CHECK ((role = ANY (ARRAY['user'::text, 'moderator'::text, 'admin'::text]))),
    CONSTRAINT accounts_state_check CHECK ((state = ANY (ARRAY['active'::text, 'pending'::text, 'suspended'::text, 'deleted'::text])))
);


--
-- Name: agent_secrets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.agent_secrets (
    agent uuid NOT NULL,
    account uuid NOT NULL,
    secret uuid NOT NULL
);


--
-- Name: agents; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.agents (
    id uuid NOT NULL,
    hub uuid NOT NULL,
    owner text NOT NULL,
    owner_folded text NOT NULL,
    name text NOT NULL,
    name_folded text NOT NULL,
    listing_id text,
    namespace uuid,
    visibility text NOT NULL,
    access text NOT NULL,
    state text NOT NULL,
    created bigint NOT NULL,
    CONSTRAINT agents_access_check CHECK ((access = ANY (ARRAY['owner'::text, 'listed'::text, 'accounts'::text, 'open'::text]))),
    CONSTRAINT agents_state_check CHECK ((state = ANY (ARRAY['active'::text, 'paused'::text, 'deleted'::text]))),
    CONSTRAINT agents_visibility_check CHECK ((visibility = ANY (ARRAY['private'::text, 'unlisted'::text, 'public'::text, 'federated'::text])))
);


--
-- Name: approvals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.approvals (
    id uuid NOT NULL,
    run uuid NOT NULL,
    tool text NOT NULL,
    args_sha256 bytea NOT NULL,
    decision text,
    decided_by uuid,
    expires bigint NOT NULL,
    arguments text DEFAULT 'null'::text NOT NULL,
    CONSTRAINT approvals_decision_check CHECK ((decision = ANY (ARRAY['yes'::text, 'no'::text])))
);


--
-- Name: assignments; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.assignments (
    id uuid NOT NULL,
    team uuid NOT NULL,
    member uuid NOT NULL,
    mode text NOT NULL,
    spec text NOT NULL,
    state text NOT NULL,
    deadline bigint NOT NULL,
    run uuid,
    CONSTRAINT assignments_mode_check CHECK ((mode = ANY (ARRAY['sync'::text, 'async'::text]))),
    CONSTRAINT assignments_state_check CHECK ((state = ANY (ARRAY['submitted'::text, 'working'::text, 'completed'::text, 'failed'::text, 'cancelled'::text, 'rejected'::text])))
);


--
-- Name: audit; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit (
    id uuid NOT NULL,
    at bigint NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    target text NOT NULL,
    change text NOT NULL,
    request text NOT NULL
);


--
-- Name: blob_uses; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.blob_uses (
    blob bytea NOT NULL,
    owner_kind text NOT NULL,
    owner uuid NOT NULL
);


--
-- Name: blobs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.blobs (
    sha256 bytea NOT NULL,
    size bigint NOT NULL,
    media_type text NOT NULL,
    place text NOT NULL
);


--
-- Name: cards; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.cards (
    sha256 bytea NOT NULL,
    body bytea NOT NULL
);


--
-- Name: chats; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chats (
    id uuid NOT NULL,
    kind text NOT NULL,
    title text NOT NULL,
    creator uuid NOT NULL,
    last_seq bigint NOT NULL,
    settings text NOT NULL,
    created bigint NOT NULL,
    active bigint NOT NULL,
    keep_until bigint,
    archived bigint,
    bytes bigint DEFAULT 0 NOT NULL,
    CONSTRAINT chats_kind_check CHECK ((kind = ANY (ARRAY['direct'::text, 'room'::text, 'team'::text, 'api'::text])))
);


--
-- Name: contexts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.contexts (
    caller uuid NOT NULL,
    agent uuid NOT NULL,
    name text NOT NULL,
    chat uuid NOT NULL
);


--
-- Name: counters; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.counters (
    name text NOT NULL,
    n bigint NOT NULL
);


--
-- Name: credentials; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.credentials (
    id uuid NOT NULL,
    account uuid NOT NULL,
    kind text NOT NULL,
    data text NOT NULL,
    created bigint NOT NULL,
    used bigint,
    CONSTRAINT credentials_kind_check CHECK ((kind = ANY (ARRAY['password'::text, 'passkey'::text, 'totp'::text, 'recovery'::text])))
);


--
-- Name: drafts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.drafts (
    id uuid NOT NULL,
    account uuid NOT NULL,
    step text NOT NULL,
    data text NOT NULL,
    expires bigint NOT NULL
);


--
-- Name: events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.events (
    chat uuid NOT NULL,
    seq bigint NOT NULL,
    kind text NOT NULL,
    message uuid,
    run uuid,
    payload text NOT NULL,
    at bigint NOT NULL
);


--
-- Name: grants; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.grants (
    target uuid NOT NULL,
    principal uuid NOT NULL,
    created bigint NOT NULL
);


--
-- Name: histories; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.histories (
    caller uuid NOT NULL,
    agent uuid NOT NULL,
    digest bytea NOT NULL,
    question uuid NOT NULL
);


--
-- Name: hub_addresses; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.hub_addresses (
    peer text NOT NULL,
    addresses text NOT NULL,
    seen bigint NOT NULL
);


--
-- Name: hub_announcements; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.hub_announcements (
    key bytea NOT NULL,
    provider text NOT NULL,
    addresses text NOT NULL,
    expires bigint NOT NULL
);


--
-- Name: hub_faults; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.hub_faults (
    hub uuid NOT NULL,
    fault text NOT NULL,
    about text NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL,
    times bigint NOT NULL,
    CONSTRAINT hub_faults_fault_check CHECK ((fault = ANY (ARRAY['withholds'::text, 'pads'::text, 'swaps'::text, 'stale_head'::text, 'contradicts'::text, 'contradicts_itself'::text])))
);


--
-- Name: hub_nonces; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.hub_nonces (
    hub uuid NOT NULL,
    nonce bytea NOT NULL,
    expires bigint NOT NULL
);


--
-- Name: hub_rules; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.hub_rules (
    subject text NOT NULL,
    action text NOT NULL,
    reason text NOT NULL,
    author text NOT NULL,
    created bigint NOT NULL,
    expires bigint,
    CONSTRAINT hub_rules_action_check CHECK ((action = ANY (ARRAY['allow'::text, 'block'::text])))
);


--
-- Name: hubs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.hubs (
    id uuid NOT NULL,
    domain text,
    state text NOT NULL,
    standing text NOT NULL,
    record bytea,
    head_seq bigint NOT NULL,
    seen bigint NOT NULL,
    peer text,
    head bytea,
    met bigint,
    CONSTRAINT hubs_standing_check CHECK ((standing = ANY (ARRAY['normal'::text, 'trusted'::text, 'limited'::text, 'blocked'::text]))),
    CONSTRAINT hubs_state_check CHECK ((state = ANY (ARRAY['self'::text, 'probation'::text, 'carried'::text, 'gone'::text])))
);


--
-- Name: invites; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.invites (
    hash bytea NOT NULL,
    invited_by uuid,
    role text NOT NULL,
    expires bigint NOT NULL,
    used bigint,
    CONSTRAINT invites_role_check CHECK ((role = ANY (ARRAY['user'::text, 'moderator'::text, 'admin'::text])))
);


--
-- Name: jobs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.jobs (
    id uuid NOT NULL,
    name text NOT NULL,
    key text,
    payload text NOT NULL,
    due bigint NOT NULL,
    locked_until bigint,
    tries bigint NOT NULL,
    error text,
    failed boolean NOT NULL
);


--
-- Name: keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.keys (
    id uuid NOT NULL,
    kind text NOT NULL,
    agent uuid,
    hub uuid,
    public bytea NOT NULL,
    secret uuid,
    created bigint NOT NULL,
    retired bigint,
    CONSTRAINT keys_kind_check CHECK ((kind = ANY (ARRAY['hub'::text, 'agent'::text, 'recovery'::text])))
);


--
-- Name: limits_used; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.limits_used (
    key text NOT NULL,
    since bigint NOT NULL,
    n bigint NOT NULL
);


--
-- Name: listed_rules; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.listed_rules (
    list text NOT NULL,
    subject text NOT NULL,
    action text NOT NULL,
    reason text NOT NULL,
    created bigint NOT NULL,
    expires bigint,
    CONSTRAINT listed_rules_action_check CHECK ((action = ANY (ARRAY['allow'::text, 'block'::text])))
);


--
-- Name: listings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.listings (
    agent uuid NOT NULL,
    seq bigint NOT NULL,
    card bytea NOT NULL,
    summary text NOT NULL,
    envelope bytea,
    issued bigint NOT NULL,
    expires bigint,
    leased_until bigint,
    state text NOT NULL,
    change bigint NOT NULL,
    hash bytea,
    CONSTRAINT listings_state_check CHECK ((state = ANY (ARRAY['live'::text, 'paused'::text, 'deleted'::text])))
);


--
-- Name: members; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.members (
    id uuid NOT NULL,
    chat uuid NOT NULL,
    principal uuid NOT NULL,
    role text NOT NULL,
    joined bigint NOT NULL,
    left_at bigint,
    leaf uuid,
    read_seq bigint NOT NULL,
    folder text,
    pinned boolean NOT NULL,
    CONSTRAINT members_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'member'::text, 'guest'::text])))
);


--
-- Name: messages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.messages (
    id uuid NOT NULL,
    chat uuid NOT NULL,
    seq bigint NOT NULL,
    parent uuid,
    lane bigint NOT NULL,
    author uuid NOT NULL,
    run uuid,
    state text NOT NULL,
    created bigint NOT NULL,
    CONSTRAINT messages_state_check CHECK ((state = ANY (ARRAY['open'::text, 'done'::text, 'stopped'::text, 'failed'::text, 'deleted'::text])))
);


--
-- Name: models; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.models (
    id uuid NOT NULL,
    namespace uuid NOT NULL,
    name text NOT NULL,
    name_folded text NOT NULL,
    connector text NOT NULL,
    secret uuid,
    limits text NOT NULL,
    created bigint NOT NULL
);


--
-- Name: namespace_members; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.namespace_members (
    namespace uuid NOT NULL,
    account uuid NOT NULL,
    role text NOT NULL,
    CONSTRAINT namespace_members_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'member'::text])))
);


--
-- Name: namespaces; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.namespaces (
    id uuid NOT NULL,
    name_folded text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    created bigint NOT NULL,
    retired bigint,
    CONSTRAINT namespaces_kind_check CHECK ((kind = ANY (ARRAY['person'::text, 'org'::text, 'system'::text])))
);


--
-- Name: oauth_grants; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.oauth_grants (
    id uuid NOT NULL,
    account uuid NOT NULL,
    client text NOT NULL,
    name text NOT NULL,
    redirect text NOT NULL,
    challenge text NOT NULL,
    resource text NOT NULL,
    scopes text NOT NULL,
    code bytea NOT NULL,
    refresh bytea,
    spent bytea,
    created bigint NOT NULL,
    expires bigint NOT NULL,
    used bigint
);


--
-- Name: oauth_tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.oauth_tokens (
    token uuid NOT NULL,
    grant_id uuid NOT NULL
);


--
-- Name: outbox; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.outbox (
    id uuid NOT NULL,
    target text NOT NULL,
    kind text NOT NULL,
    payload bytea NOT NULL,
    due bigint NOT NULL,
    tries bigint NOT NULL
);


--
-- Name: parts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.parts (
    message uuid NOT NULL,
    idx bigint NOT NULL,
    kind text NOT NULL,
    artifact text,
    body text NOT NULL,
    blob bytea,
    media_type text,
    name text,
    meta text NOT NULL,
    CONSTRAINT parts_kind_check CHECK ((kind = ANY (ARRAY['text'::text, 'data'::text, 'file'::text, 'link'::text, 'tool'::text, 'reasoning'::text, 'approval'::text])))
);


--
-- Name: principals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.principals (
    id uuid NOT NULL,
    kind text NOT NULL,
    account uuid,
    agent uuid,
    hub uuid,
    pseudonym text,
    CONSTRAINT principals_check CHECK (((kind = 'account'::text) = (account IS NOT NULL))),
    CONSTRAINT principals_check1 CHECK (((kind = 'agent'::text) = (agent IS NOT NULL))),
    CONSTRAINT principals_check2 CHECK (((kind = 'remote'::text) = (hub IS NOT NULL))),
    CONSTRAINT principals_check3 CHECK (((kind = 'remote'::text) = (pseudonym IS NOT NULL))),
    CONSTRAINT principals_kind_check CHECK ((kind = ANY (ARRAY['account'::text, 'agent'::text, 'remote'::text, 'anonymous'::text])))
);


--
-- Name: processes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.processes (
    id uuid NOT NULL,
    started bigint NOT NULL,
    beat bigint NOT NULL,
    address text,
    swarm boolean NOT NULL
);


--
-- Name: proofs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.proofs (
    id uuid NOT NULL,
    agent uuid NOT NULL,
    origin text NOT NULL,
    method text NOT NULL,
    ok_at bigint,
    failed_at bigint,
    CONSTRAINT proofs_method_check CHECK ((method = ANY (ARRAY['well_known'::text, 'dns'::text, 'card'::text, 'voucher'::text])))
);


--
-- Name: push; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.push (
    id uuid NOT NULL,
    run uuid NOT NULL,
    name text NOT NULL,
    sealed bytea NOT NULL,
    caller uuid
);


--
-- Name: rule_lists; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rule_lists (
    url text NOT NULL,
    signer text NOT NULL,
    name text NOT NULL,
    author text NOT NULL,
    created bigint NOT NULL,
    seq bigint NOT NULL,
    checked bigint NOT NULL,
    problem text
);


--
-- Name: runs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.runs (
    id uuid NOT NULL,
    chat uuid NOT NULL,
    agent uuid NOT NULL,
    version uuid NOT NULL,
    caller uuid NOT NULL,
    origin text NOT NULL,
    state text NOT NULL,
    state_at bigint NOT NULL,
    parent uuid,
    assignment uuid,
    process uuid,
    remote_task text,
    remote_context text,
    queued bigint NOT NULL,
    started bigint,
    ended bigint,
    tokens_in bigint NOT NULL,
    tokens_out bigint NOT NULL,
    cost_micro bigint NOT NULL,
    error_class text,
    error text,
    CONSTRAINT runs_origin_check CHECK ((origin = ANY (ARRAY['page'::text, 'api'::text, 'a2a'::text, 'mcp'::text, 'openai'::text, 'rpc'::text, 'team'::text, 'hub'::text]))),
    CONSTRAINT runs_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'working'::text, 'input_required'::text, 'auth_required'::text, 'completed'::text, 'failed'::text, 'stopped'::text, 'rejected'::text])))
);


--
-- Name: secrets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.secrets (
    id uuid NOT NULL,
    namespace uuid NOT NULL,
    kind text NOT NULL,
    sealed bytea NOT NULL,
    key_version bigint NOT NULL
);


--
-- Name: sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sessions (
    hash bytea NOT NULL,
    account uuid NOT NULL,
    created bigint NOT NULL,
    seen bigint NOT NULL,
    sudo_until bigint,
    agent text NOT NULL,
    ip text NOT NULL
);


--
-- Name: stars; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.stars (
    account uuid NOT NULL,
    agent uuid NOT NULL,
    at bigint NOT NULL
);


--
-- Name: stops; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.stops (
    run uuid NOT NULL
);


--
-- Name: team_conductors; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.team_conductors (
    team uuid NOT NULL,
    process uuid NOT NULL
);


--
-- Name: team_log; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.team_log (
    team uuid NOT NULL,
    seq bigint NOT NULL,
    author_key bytea NOT NULL,
    prev_hash bytea NOT NULL,
    body bytea NOT NULL,
    signature bytea NOT NULL
);


--
-- Name: team_shares; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.team_shares (
    team uuid NOT NULL,
    hash bytea NOT NULL,
    created bigint NOT NULL
);


--
-- Name: teams; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.teams (
    chat uuid NOT NULL,
    goal text NOT NULL,
    pattern text NOT NULL,
    home_hub uuid NOT NULL,
    parent uuid,
    depth_left bigint NOT NULL,
    limits text NOT NULL,
    state text NOT NULL,
    deadline bigint NOT NULL,
    served_until bigint,
    CONSTRAINT teams_state_check CHECK ((state = ANY (ARRAY['forming'::text, 'working'::text, 'closed'::text, 'failed'::text, 'cancelled'::text, 'lost'::text])))
);


--
-- Name: text_log; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.text_log (
    process uuid NOT NULL,
    n bigint NOT NULL,
    message uuid NOT NULL,
    part bigint NOT NULL,
    start bigint NOT NULL,
    body bytea NOT NULL
);


--
-- Name: tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.tokens (
    id uuid NOT NULL,
    hash bytea NOT NULL,
    account uuid NOT NULL,
    name text NOT NULL,
    scopes text NOT NULL,
    audience text NOT NULL,
    created bigint NOT NULL,
    expires bigint NOT NULL,
    used bigint
);


--
-- Name: versions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.versions (
    id uuid NOT NULL,
    agent uuid NOT NULL,
    semver text NOT NULL,
    card bytea NOT NULL,
    connector text NOT NULL,
    secret uuid,
    created bigint NOT NULL,
    yanked_reason text
);


--
-- Name: vouched_origins; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.vouched_origins (
    origin text NOT NULL,
    since bigint NOT NULL
);


--
-- Data for Name: _sqlx_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public._sqlx_migrations VALUES (1, 'accounts', '2026-11-25 17:31:38.144502+00', true, '\x282122b222c3c9483b0bcb85f8d1530bbb63c4e6710017c1494ff9e1065ceb7b3a2e41d14a787e057121a49c64fe79df', 27388839);
INSERT INTO public._sqlx_migrations VALUES (2, 'agents', '2026-11-25 17:31:38.172292+00', true, '\x315dfc2ff8329ead19b78f1107a683c116248c9b9d1497269150331980c0939e69701fe4e493d7aaff0dcf68087e1084', 35050080);
INSERT INTO public._sqlx_migrations VALUES (3, 'chats', '2026-11-25 17:31:38.207651+00', true, '\x00cc6a19ceb162776c06924a8aded22500da4d6b0e1bdfbee4bd6e13e066791771973673dccd6e212c1c69da6d616282', 21932645);
INSERT INTO public._sqlx_migrations VALUES (4, 'messages', '2026-11-25 17:31:38.22989+00', true, '\x9be2338dd3d9f956988a11a171e6447b3c50a06ade9bb6381032bc2e3db085678bfdf6e27d54548af5295c16bde2d472', 24917067);
INSERT INTO public._sqlx_migrations VALUES (5, 'work', '2026-11-25 17:31:38.255125+00', true, '\xff185cf4b7ce3f6f1341e4ce540a4c22c1578cb34fc8f84f2d0364c65c7b3e91ff8a20ae2c463e256e14782e0ccf0d80', 8990110);
INSERT INTO public._sqlx_migrations VALUES (6, 'leaving', '2026-11-25 17:31:38.264402+00', true, '\x8db4adf6b99d68687c7e0191d3dc18e54c1ffa532040b267f447cba41c750ebdc878dd47cf72712eeccaa72bde4ebba5', 1066420);
INSERT INTO public._sqlx_migrations VALUES (7, 'vouched origins', '2026-11-25 17:31:38.265603+00', true, '\x4626ea1f4688ac735e7e7e80774fb35f1ad3c70268de5ed7529bfd3e8a90b74b69753ccd7a18766021abf0d1fd63fb8d', 4024192);
INSERT INTO public._sqlx_migrations VALUES (8, 'push', '2026-11-25 17:31:38.269765+00', true, '\xecd3eb75dadd4d08f3862a107242c503619031309ac4a8d2aaf46db8c181c76394eb963d9e99cc38daa57b98ca878805', 5411497);
INSERT INTO public._sqlx_migrations VALUES (9, 'oauth', '2026-11-25 17:31:38.275321+00', true, '\x6c7d1175fdd6480f97358d940f53329453be876fda148b9120de6c12e79c19c552ebd19e051c9abbf37290c628a2f2d6', 6513300);
INSERT INTO public._sqlx_migrations VALUES (10, 'histories', '2026-11-25 17:31:38.282785+00', true, '\x92bf4ce76bd1a46ec8b574e7f823d31f701b2c5d2d3aa0415aae7a130ec3a93442e0eb47852967150850a7e58a4c60aa', 6472029);
INSERT INTO public._sqlx_migrations VALUES (12, 'approvals', '2026-11-25 17:31:38.289408+00', true, '\x94bb8ed41471c325c0a7dff1f70504da326056a979b4b50511f76bcc8f939c3af58d6c325c229dd279eeb59fde9af646', 1474665);
INSERT INTO public._sqlx_migrations VALUES (16, 'agent names', '2026-11-25 17:31:38.291014+00', true, '\xda8ac43b8701eb6dade936a51be91fcd5bbfeb679aac5a596f1dfa785e15ee4ea41bef35815f4ce3c63418a85d436345', 782960);
INSERT INTO public._sqlx_migrations VALUES (17, 'stars', '2026-11-25 17:31:38.291909+00', true, '\x04c1419bc5b52cf93600e12d9f2dac72633fe4f0fc8698c39bf45bb56c33e487caab18e33ef280cd90a037b657f41ffb', 1871032);
INSERT INTO public._sqlx_migrations VALUES (18, 'federation', '2026-11-25 17:31:38.293904+00', true, '\xd9188d1599b8d82a926bd13e94cc4720648ece0204594a882f4994d141bcf7522263a73a5b7060d67587c018afa20d68', 10468470);
INSERT INTO public._sqlx_migrations VALUES (19, 'hub nonces', '2026-11-25 17:31:38.304538+00', true, '\xa246c41cd8b4b0f19a2445a6df41f54840864a27dc28e5b50bf50f4ff02e201c5b060822413903188ec7724e2cc828bb', 2307218);
INSERT INTO public._sqlx_migrations VALUES (20, 'team shares', '2026-11-25 17:31:38.306958+00', true, '\xa13cb4ec3f117b4953d8cdcaeaa1568deb8dbc307e6542a6e79def5290fa3f2f9f98506dd42adbea4623b935d77da684', 2788972);
INSERT INTO public._sqlx_migrations VALUES (22, 'hub rules', '2026-11-25 17:31:38.309896+00', true, '\x016be6fabecd550f48fe5767f6e06a6c1b1c127da9cf0a0b66ecc1b1ef082368cf1f5877998931b8ae746a3ecd560304', 7645057);
INSERT INTO public._sqlx_migrations VALUES (23, 'fewer index pages', '2026-11-25 17:31:38.317692+00', true, '\xe364e96254acbb3012c420c94705573180609804e0155dc854a93ded3a87471261133bee2e732cebd9c87696b005f4ed', 2966751);
INSERT INTO public._sqlx_migrations VALUES (25, 'processes', '2026-11-25 17:31:38.320734+00', true, '\x29595fee31959828f6b1be68769b7a37da3771a60640ed1c26e286d0a5ffc7a4ca03f6e45f5efe6145562646ddfa371f', 2913957);
INSERT INTO public._sqlx_migrations VALUES (26, 'quotas', '2026-11-25 17:31:38.323731+00', true, '\xa4dab13491aeac32ca7b0b0edd2499c3fef3bb64abfdba5db64a662114055a73d8776289ffac1491e89f25e0c09628ed', 3033464);
INSERT INTO public._sqlx_migrations VALUES (27, 'served until', '2026-11-25 17:31:38.326861+00', true, '\x36275faf4b5556d35ed360637dbd83e24d6528c0ee3f23c9e7f89da2455c5a6003b83115342ca8c170176f39bb5c333a', 4058333);


--
-- Data for Name: accounts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.accounts VALUES ('01a213c3-5729-7510-9d0a-c50c2681dcce', '01a213c3-5729-7880-a071-bb087a79173f', NULL, 'admin', 'active', '{}', 1795627898665, NULL);
INSERT INTO public.accounts VALUES ('01a213c3-5775-77be-8277-99971c04d3e6', '01a213c3-5775-7da4-ae74-36704c66d0a8', NULL, 'user', 'active', '{}', 1795627898741, NULL);


--
-- Data for Name: agent_secrets; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: agents; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.agents VALUES ('01a213c3-5632-78c1-aa28-6099496ef00a', '00000000-0000-0000-0000-000000000000', 'plexus', 'plexus', 'calc', 'calc', 'pl1iuuvnnpf6hykvapy4vyafcj2ks2hye7vxfiz2idxc7g4zq6tk7wa', '01a213c3-562e-7d8e-9782-08fae7cb1dcd', 'public', 'open', 'active', 1795627898417);
INSERT INTO public.agents VALUES ('01a213c3-5636-7d9b-9547-921e987812fc', '00000000-0000-0000-0000-000000000000', 'plexus', 'plexus', 'guide', 'guide', 'pl14vm2cj2dc7ffoa34toxfajxnst6xw4mmnxff4ilgumhwzratye5a', '01a213c3-562e-7d8e-9782-08fae7cb1dcd', 'public', 'open', 'active', 1795627898422);


--
-- Data for Name: approvals; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: assignments; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: audit; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: blob_uses; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: blobs; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: cards; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.cards VALUES ('\x10a419b16a111a4e6f65e75b7292e32edc2d6f414883a97df54ca3e95f173044', '\x7b226e616d65223a2263616c63222c226465736372697074696f6e223a2243616c63756c6174657320616e6420636f6e76657274733a2061726974686d65746963207769746820756e6974732c2070657263656e74616765732c20646174657320616e64207661726961626c65732c206f6e65206c696e65206f7220612077686f6c652073686565742c20616e737765726564206c696e65206279206c696e652e222c22737570706f72746564496e7465726661636573223a5b7b2275726c223a22687474703a2f2f3132372e302e302e313a33333434332f6132612f706c657875732f63616c632f222c2270726f746f636f6c42696e64696e67223a224a534f4e525043222c2270726f746f636f6c56657273696f6e223a22312e30227d2c7b2275726c223a22687474703a2f2f3132372e302e302e313a33333434332f6132612f706c657875732f63616c632f222c2270726f746f636f6c42696e64696e67223a224a534f4e525043222c2270726f746f636f6c56657273696f6e223a22302e33227d5d2c2276657273696f6e223a2231222c226361706162696c6974696573223a7b2273747265616d696e67223a747275657d2c2264656661756c74496e7075744d6f646573223a5b22746578742f706c61696e222c22746578742f6d61726b646f776e225d2c2264656661756c744f75747075744d6f646573223a5b22746578742f706c61696e222c22746578742f6d61726b646f776e225d2c22736b696c6c73223a5b7b226964223a2263616c63222c226e616d65223a2243616c63756c617465222c226465736372697074696f6e223a2243616c63756c6174657320616e6420636f6e76657274733a2061726974686d65746963207769746820756e6974732c2070657263656e74616765732c20646174657320616e64207661726961626c65732c206f6e65206c696e65206f7220612077686f6c652073686565742c20616e737765726564206c696e65206279206c696e652e222c2274616773223a5b2261726974686d65746963222c2263616c63756c61746f72222c22636f6e76657274222c226d617468656d6174696373222c22756e697473225d2c226578616d706c6573223a5b22313525206f6620323430222c223320686f757273203230206d696e7574657320696e207365636f6e6473222c227370656564203d203432206b6d2f686f75725c6e7370656564202a203335206d696e7574657320696e206b6d225d7d5d7d');
INSERT INTO public.cards VALUES ('\xe595dd68a710b960b8c7122009643c007d6290070a621ea24354b38ad9f831ca', '\x7b226e616d65223a226775696465222c226465736372697074696f6e223a2246696e647320746865206167656e7420796f75206e6565643a206465736372696265207768617420796f752077616e7420746f20646f2c20616e6420697420616e73776572732077697468206167656e7473206f6620746869732068756220616e64206120627574746f6e20746f20676f206f6e2077697468206f6e652e222c22737570706f72746564496e7465726661636573223a5b7b2275726c223a22687474703a2f2f3132372e302e302e313a33333434332f6132612f706c657875732f67756964652f222c2270726f746f636f6c42696e64696e67223a224a534f4e525043222c2270726f746f636f6c56657273696f6e223a22312e30227d2c7b2275726c223a22687474703a2f2f3132372e302e302e313a33333434332f6132612f706c657875732f67756964652f222c2270726f746f636f6c42696e64696e67223a224a534f4e525043222c2270726f746f636f6c56657273696f6e223a22302e33227d5d2c2276657273696f6e223a2231222c226361706162696c6974696573223a7b2273747265616d696e67223a747275657d2c2264656661756c74496e7075744d6f646573223a5b22746578742f706c61696e222c22746578742f6d61726b646f776e222c226170706c69636174696f6e2f6a736f6e225d2c2264656661756c744f75747075744d6f646573223a5b22746578742f706c61696e222c22746578742f6d61726b646f776e225d2c22736b696c6c73223a5b7b226964223a226775696465222c226e616d65223a2246696e6420616e206167656e74222c226465736372697074696f6e223a224465736372696265207768617420796f752077616e7420746f20646f2c20616e6420697420616e73776572732077697468206167656e7473206f662074686973206875622e222c2274616773223a5b226167656e7473222c226469726563746f7279222c2268656c70222c22736561726368225d2c226578616d706c6573223a5b2257686f2063616e20636f6e7665727420756e6974733f222c22416e206167656e742074686174207472616e736c61746573222c22576861742063616e204920646f20686572653f225d7d2c7b226964223a22666f726d2d612d7465616d222c226e616d65223a22466f726d2061207465616d222c226465736372697074696f6e223a22466f726d732061207465616d206f66206167656e747320666f72206120676f616c20616e6420616e73776572732077697468207768617420697420636f6d657320746f3a2073656e6420612074657874207468617420626567696e732077697468205c22466f726d2061207465616d5c222c206f72206120646174612070617274207b5c22676f616c5c223a20746578742c205c226d656d626572735c223a205b6164647265737365735d7d2e204974206e65656473206120746f6b656e2077697468207468652073636f7065205c227465616d5c222e222c2274616773223a5b226167656e7473222c22636f6c6c61626f726174696f6e222c2264656c65676174696f6e222c227465616d73225d2c226578616d706c6573223a5b22466f726d2061207465616d20746f2066696e642074686520746964652074696d6573206f6620487573756d2c20616e6420636f6e7665727420746865206865696768747320746f2066656574225d7d5d7d');


--
-- Data for Name: chats; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.chats VALUES ('01a213c3-5794-71f0-903c-fc38e53156c2', 'direct', '1 km + 250 m', '01a213c3-5780-787a-8dd5-3ef87864d6bd', 8, '{}', 1795627898772, 1795627898774, NULL, NULL, 2138);
INSERT INTO public.chats VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', 'team', '2 + 3', '01a213c3-5780-787a-8dd5-3ef87864d6bd', 16, '{}', 1795627898911, 1795627898930, NULL, NULL, 5367);


--
-- Data for Name: contexts; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: counters; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.counters VALUES ('listings', 3);


--
-- Data for Name: credentials; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.credentials VALUES ('01a213c3-572b-7abf-a149-42a777b1948f', '01a213c3-5729-7510-9d0a-c50c2681dcce', 'password', '$argon2id$v=19$m=19456,t=2,p=1$yIGo8uMXKS4Jb+GEBPzf4g$Nh5O5/6yQ/P5t+gyT3YjrX+iyLp/jPgAJ5xPrghraEU', 1795627898665, NULL);
INSERT INTO public.credentials VALUES ('01a213c3-577e-7424-b41b-6bb120ebbd40', '01a213c3-5775-77be-8277-99971c04d3e6', 'password', '$argon2id$v=19$m=19456,t=2,p=1$3lsRRsnoSk3aDtIWfDPOMg$vL6PAa52VMhj9TO0RpDiE0lnd3Jae+FsxXg/dk3WQ3Q', 1795627898741, NULL);


--
-- Data for Name: drafts; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.events VALUES ('01a213c3-5794-71f0-903c-fc38e53156c2', 2, 'message', '21abe23f-99dc-4432-881f-392b11be519f', NULL, '{"kind":"message","message":"21abe23f-99dc-4432-881f-392b11be519f","run":null}', 1795627898774);
INSERT INTO public.events VALUES ('01a213c3-5794-71f0-903c-fc38e53156c2', 3, 'member', NULL, NULL, '{"kind":"member","principal":"01a213c3-5795-7b58-8710-6f80d80ae8c0","joined":true}', 1795627898774);
INSERT INTO public.events VALUES ('01a213c3-5794-71f0-903c-fc38e53156c2', 5, 'message', '01a213c3-5796-7ce6-a19b-080975cacca6', '01a213c3-5796-737d-adb8-6fac24c678cb', '{"kind":"message","message":"01a213c3-5796-7ce6-a19b-080975cacca6","run":"01a213c3-5796-737d-adb8-6fac24c678cb"}', 1795627898774);
INSERT INTO public.events VALUES ('01a213c3-5794-71f0-903c-fc38e53156c2', 6, 'run', NULL, '01a213c3-5796-737d-adb8-6fac24c678cb', '{"kind":"run","run":"01a213c3-5796-737d-adb8-6fac24c678cb","state":"working"}', 1795627898774);
INSERT INTO public.events VALUES ('01a213c3-5794-71f0-903c-fc38e53156c2', 7, 'ended', '01a213c3-5796-7ce6-a19b-080975cacca6', NULL, '{"kind":"ended","message":"01a213c3-5796-7ce6-a19b-080975cacca6","state":"done"}', 1795627898785);
INSERT INTO public.events VALUES ('01a213c3-5794-71f0-903c-fc38e53156c2', 8, 'run', NULL, '01a213c3-5796-737d-adb8-6fac24c678cb', '{"kind":"run","run":"01a213c3-5796-737d-adb8-6fac24c678cb","state":"completed"}', 1795627898785);
INSERT INTO public.events VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', 2, 'message', '01a213c3-5822-747a-917a-e108e3ba4c26', NULL, '{"kind":"message","message":"01a213c3-5822-747a-917a-e108e3ba4c26","run":null}', 1795627898914);
INSERT INTO public.events VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', 3, 'team', NULL, NULL, '{"kind":"team","entry":1}', 1795627898914);
INSERT INTO public.events VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', 4, 'team', NULL, NULL, '{"kind":"team","entry":2}', 1795627898920);
INSERT INTO public.events VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', 5, 'team', NULL, NULL, '{"kind":"team","entry":3}', 1795627898925);
INSERT INTO public.events VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', 7, 'message', '01a213c3-5830-78cd-837c-83276262e48d', NULL, '{"kind":"message","message":"01a213c3-5830-78cd-837c-83276262e48d","run":null}', 1795627898930);
INSERT INTO public.events VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', 8, 'member', NULL, NULL, '{"kind":"member","principal":"01a213c3-5795-7b58-8710-6f80d80ae8c0","joined":true}', 1795627898930);
INSERT INTO public.events VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', 10, 'message', '01a213c3-5832-7ebb-9bb5-868540bafb75', '01a213c3-5832-790a-8d7e-864a5d966af3', '{"kind":"message","message":"01a213c3-5832-7ebb-9bb5-868540bafb75","run":"01a213c3-5832-790a-8d7e-864a5d966af3"}', 1795627898930);
INSERT INTO public.events VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', 11, 'run', NULL, '01a213c3-5832-790a-8d7e-864a5d966af3', '{"kind":"run","run":"01a213c3-5832-790a-8d7e-864a5d966af3","state":"working"}', 1795627898930);
INSERT INTO public.events VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', 12, 'team', NULL, NULL, '{"kind":"team","entry":4}', 1795627898934);
INSERT INTO public.events VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', 13, 'ended', '01a213c3-5832-7ebb-9bb5-868540bafb75', NULL, '{"kind":"ended","message":"01a213c3-5832-7ebb-9bb5-868540bafb75","state":"done"}', 1795627898943);
INSERT INTO public.events VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', 14, 'run', NULL, '01a213c3-5832-790a-8d7e-864a5d966af3', '{"kind":"run","run":"01a213c3-5832-790a-8d7e-864a5d966af3","state":"completed"}', 1795627898943);
INSERT INTO public.events VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', 15, 'team', NULL, NULL, '{"kind":"team","entry":5}', 1795627898946);
INSERT INTO public.events VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', 16, 'team', NULL, NULL, '{"kind":"team","entry":6}', 1795627898948);


--
-- Data for Name: grants; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: histories; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: hub_addresses; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: hub_announcements; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: hub_faults; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: hub_nonces; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: hub_rules; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: hubs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.hubs VALUES ('00000000-0000-0000-0000-000000000000', NULL, 'self', 'normal', '\x7b22616464726573736573223a5b222f6970342f3132372e302e302e312f7463702f3339363237222c222f6970342f3132372e302e302e312f7564702f35313136382f717569632d7631225d2c2265787069726573223a313739353830303639383438342c22687562223a22313244334b6f6f5753574d77425847674276583872484e597a4e5a375a4731716364486f315437314b484b397233654a7535504a222c226e616d65223a22506c65787573222c2272656c6179223a66616c73652c22736571223a313739353632373839383438343030302c22736f667477617265223a22706c657875732f302e312e30222c2274797065223a22706c657875732f6875622f31227d0a65794a68624763694f694a465a45525451534973496d74705a434936496d52705a4470725a586b36656a5a4e61336335526e41795a486452544670724e316c306148457a5447316a5a467056656e647a574446515a5564304d32687a4e45704d56464a3254564e7249336f32545774334f555a774d6d523355557861617a645a644768784d3078745932526156587033633167785547564864444e6f637a524b54465253646b315461794973496e523563434936496b70505530556966512e2e64514b747054526c4548486269636a692d384171316150433476797639595f615a69484335544369586e3278465874776479783476387273374a384c696e635048466d45655f582d3647714e2d494457646f466c43410a', 1795627898471000, 1795627898489, '12D3KooWSWMwBXGgBvX8rHNYzNZ7ZG1qcdHo1T71KHK9r3eJu5PJ', '\x7b22636f756e74223a302c2266696e6765727072696e74223a2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030222c22687562223a22313244334b6f6f5753574d77425847674276583872484e597a4e5a375a4731716364486f315437314b484b397233654a7535504a222c22736571223a313739353632373839383437313030302c2274797065223a22706c657875732f686561642f31227d0a65794a68624763694f694a465a45525451534973496d74705a434936496d52705a4470725a586b36656a5a4e61336335526e41795a486452544670724e316c306148457a5447316a5a467056656e647a574446515a5564304d32687a4e45704d56464a3254564e7249336f32545774334f555a774d6d523355557861617a645a644768784d3078745932526156587033633167785547564864444e6f637a524b54465253646b315461794973496e523563434936496b70505530556966512e2e77344b364d456d4544326c624f4d745a32443471674545762d3762326d654850352d53664758565872796d3144506764724e454932495463316d776e354545396f456c795772714363516d4474674b51737a327541670a', 1795627898457);


--
-- Data for Name: invites; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.invites VALUES ('\x2caf8d337bcf8f906304bd82daddbb23b5dd30c448480a70a8fe23ec33a1e6bd', NULL, 'admin', 1795714298485, 1795627898665);


--
-- Data for Name: jobs; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.keys VALUES ('01a213c3-562f-773b-948c-9b488a42ecc8', 'hub', NULL, '00000000-0000-0000-0000-000000000000', '\xf7f9f5734da8c655356e2ff34acfc8c57b09516a73814d30e2c4bfebf76922ed', '01a213c3-562f-79a3-b5fa-93dd2b070fbb', 1795627898415, NULL);
INSERT INTO public.keys VALUES ('01a213c3-5632-78c6-9f4e-f896eeacdffc', 'agent', '01a213c3-5632-78c1-aa28-6099496ef00a', NULL, '\x987d39d3800623a62e33319e2b9b13b79d1c3ef6ef0922cb85872dd44303e6ad', '01a213c3-5632-750d-b3c0-1420d462b50f', 1795627898417, NULL);
INSERT INTO public.keys VALUES ('01a213c3-5632-77c9-8953-0b2ac367122f', 'recovery', '01a213c3-5632-78c1-aa28-6099496ef00a', NULL, '\x568a093f8ab1c9367192b704b2c8779a24127fadc33dd56c12a69041ef5909dc', '01a213c3-5632-7a94-a1c3-ad77209fd2d7', 1795627898417, NULL);
INSERT INTO public.keys VALUES ('01a213c3-5636-70d6-8691-d3c9cc6e0ebe', 'agent', '01a213c3-5636-7d9b-9547-921e987812fc', NULL, '\x22faf856612a4ba9e5a0b997e98c39c6158ad89a3b46a307cd3c6ce0f75c3898', '01a213c3-5636-7cc0-9e5c-1112518806ee', 1795627898422, NULL);
INSERT INTO public.keys VALUES ('01a213c3-563a-7fdd-859a-60ce4ff0a7af', 'recovery', '01a213c3-5636-7d9b-9547-921e987812fc', NULL, '\x6c390a33f7f7bef2e189d31b7a6aa0d3346b66a29c2df5988465578976ceef58', '01a213c3-563a-7184-bde5-6434bc28f1e0', 1795627898422, NULL);


--
-- Data for Name: limits_used; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: listed_rules; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: listings; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.listings VALUES ('01a213c3-5636-7d9b-9547-921e987812fc', 1795627898428001, '\xe595dd68a710b960b8c7122009643c007d6290070a621ea24354b38ad9f831ca', '{"title":"guide","summary":"Finds the agent you need: describe what you want to do, and it answers with agents of this hub and a button to go on with one.","description":"Finds the agent you need: describe what you want to do, and it answers with agents of this hub and a button to go on with one.","tags":["agents","collaboration","delegation","directory","help","search","teams"],"capabilities":["guide","form-a-team"],"examples":["Who can convert units?","An agent that translates","What can I do here?","Form a team to find the tide times of Husum, and convert the heights to feet"],"version":"1","skills":"Find an agent\nDescribe what you want to do, and it answers with agents of this hub.\nWho can convert units?\nAn agent that translates\nWhat can I do here?\nForm a team\nForms a team of agents for a goal and answers with what it comes to: send a text that begins with \"Form a team\", or a data part {\"goal\": text, \"members\": [addresses]}. It needs a token with the scope \"team\".\nForm a team to find the tide times of Husum, and convert the heights to feet","protocol":"Built in","kind":"builtin","verified":true,"online_at":null,"uses":0}', NULL, 1795627898428, NULL, NULL, 'live', 2, NULL);
INSERT INTO public.listings VALUES ('01a213c3-5632-78c1-aa28-6099496ef00a', 1795627898421001, '\x10a419b16a111a4e6f65e75b7292e32edc2d6f414883a97df54ca3e95f173044', '{"title":"calc","summary":"Calculates and converts: arithmetic with units, percentages, dates and variables, one line or a whole sheet, answered line by line.","description":"Calculates and converts: arithmetic with units, percentages, dates and variables, one line or a whole sheet, answered line by line.","tags":["arithmetic","calculator","convert","mathematics","units"],"capabilities":["calc"],"examples":["15% of 240","3 hours 20 minutes in seconds","speed = 42 km/hour\nspeed * 35 minutes in km"],"version":"1","skills":"Calculate\nCalculates and converts: arithmetic with units, percentages, dates and variables, one line or a whole sheet, answered line by line.\n15% of 240\n3 hours 20 minutes in seconds\nspeed = 42 km/hour\nspeed * 35 minutes in km","protocol":"Built in","kind":"builtin","verified":true,"online_at":1795627898790,"uses":1}', NULL, 1795627898421, NULL, NULL, 'live', 3, NULL);


--
-- Data for Name: members; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.members VALUES ('01a213c3-5796-7363-9d3d-f36674033cdc', '01a213c3-5794-71f0-903c-fc38e53156c2', '01a213c3-5795-7b58-8710-6f80d80ae8c0', 'guest', 1795627898774, NULL, NULL, 0, NULL, false);
INSERT INTO public.members VALUES ('01a213c3-5794-7557-ad75-bf7c471021ca', '01a213c3-5794-71f0-903c-fc38e53156c2', '01a213c3-5780-787a-8dd5-3ef87864d6bd', 'owner', 1795627898772, NULL, '01a213c3-5796-7ce6-a19b-080975cacca6', 0, NULL, false);
INSERT INTO public.members VALUES ('01a213c3-5832-7891-ac17-fd58e6e05b0c', '01a213c3-581f-7a7d-999f-20c6d7f13645', '01a213c3-5795-7b58-8710-6f80d80ae8c0', 'guest', 1795627898930, NULL, NULL, 0, NULL, false);
INSERT INTO public.members VALUES ('01a213c3-581f-76e4-8b9d-f28b6c07646b', '01a213c3-581f-7a7d-999f-20c6d7f13645', '01a213c3-5780-787a-8dd5-3ef87864d6bd', 'owner', 1795627898911, NULL, '01a213c3-5832-7ebb-9bb5-868540bafb75', 0, NULL, false);


--
-- Data for Name: messages; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.messages VALUES ('21abe23f-99dc-4432-881f-392b11be519f', '01a213c3-5794-71f0-903c-fc38e53156c2', 1, NULL, 0, '01a213c3-5780-787a-8dd5-3ef87864d6bd', NULL, 'done', 1795627898773);
INSERT INTO public.messages VALUES ('01a213c3-5796-7ce6-a19b-080975cacca6', '01a213c3-5794-71f0-903c-fc38e53156c2', 4, '21abe23f-99dc-4432-881f-392b11be519f', 1, '01a213c3-5795-7b58-8710-6f80d80ae8c0', '01a213c3-5796-737d-adb8-6fac24c678cb', 'done', 1795627898774);
INSERT INTO public.messages VALUES ('01a213c3-5822-747a-917a-e108e3ba4c26', '01a213c3-581f-7a7d-999f-20c6d7f13645', 1, NULL, 0, '01a213c3-5780-787a-8dd5-3ef87864d6bd', NULL, 'done', 1795627898914);
INSERT INTO public.messages VALUES ('01a213c3-5830-78cd-837c-83276262e48d', '01a213c3-581f-7a7d-999f-20c6d7f13645', 6, NULL, 0, '01a213c3-5780-787a-8dd5-3ef87864d6bd', NULL, 'done', 1795627898928);
INSERT INTO public.messages VALUES ('01a213c3-5832-7ebb-9bb5-868540bafb75', '01a213c3-581f-7a7d-999f-20c6d7f13645', 9, '01a213c3-5830-78cd-837c-83276262e48d', 1, '01a213c3-5795-7b58-8710-6f80d80ae8c0', '01a213c3-5832-790a-8d7e-864a5d966af3', 'done', 1795627898930);


--
-- Data for Name: models; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: namespace_members; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.namespace_members VALUES ('01a213c3-5729-7880-a071-bb087a79173f', '01a213c3-5729-7510-9d0a-c50c2681dcce', 'owner');
INSERT INTO public.namespace_members VALUES ('01a213c3-5775-7da4-ae74-36704c66d0a8', '01a213c3-5775-77be-8277-99971c04d3e6', 'owner');


--
-- Data for Name: namespaces; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.namespaces VALUES ('01a213c3-562e-7d8e-9782-08fae7cb1dcd', 'plexus', 'plexus', 'system', 1795627898414, NULL);
INSERT INTO public.namespaces VALUES ('01a213c3-5729-7880-a071-bb087a79173f', 'grace', 'grace', 'person', 1795627898665, NULL);
INSERT INTO public.namespaces VALUES ('01a213c3-5775-7da4-ae74-36704c66d0a8', 'ada', 'ada', 'person', 1795627898741, NULL);


--
-- Data for Name: oauth_grants; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: oauth_tokens; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: outbox; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: parts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.parts VALUES ('21abe23f-99dc-4432-881f-392b11be519f', 0, 'text', NULL, '{"kind":"text","text":"1 km + 250 m"}', NULL, NULL, NULL, '{}');
INSERT INTO public.parts VALUES ('01a213c3-5796-7ce6-a19b-080975cacca6', 0, 'text', NULL, '{"kind":"text","text":"`1 km + 250 m` = **1.25 km**"}', NULL, NULL, NULL, '{}');
INSERT INTO public.parts VALUES ('01a213c3-5822-747a-917a-e108e3ba4c26', 0, 'text', NULL, '{"kind":"text","text":"2 + 3"}', NULL, NULL, NULL, '{}');
INSERT INTO public.parts VALUES ('01a213c3-5830-78cd-837c-83276262e48d', 0, 'text', NULL, '{"kind":"text","text":"2 + 3\n"}', NULL, NULL, 'The goal', '{}');
INSERT INTO public.parts VALUES ('01a213c3-5832-7ebb-9bb5-868540bafb75', 0, 'text', NULL, '{"kind":"text","text":"`2 + 3` = **5**"}', NULL, NULL, NULL, '{}');


--
-- Data for Name: principals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.principals VALUES ('01a213c3-572c-7b1d-81c2-a0a4d0120400', 'account', '01a213c3-5729-7510-9d0a-c50c2681dcce', NULL, NULL, NULL);
INSERT INTO public.principals VALUES ('01a213c3-5780-787a-8dd5-3ef87864d6bd', 'account', '01a213c3-5775-77be-8277-99971c04d3e6', NULL, NULL, NULL);
INSERT INTO public.principals VALUES ('01a213c3-5795-7b58-8710-6f80d80ae8c0', 'agent', NULL, '01a213c3-5632-78c1-aa28-6099496ef00a', NULL, NULL);


--
-- Data for Name: processes; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: proofs; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: push; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: rule_lists; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: runs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.runs VALUES ('01a213c3-5796-737d-adb8-6fac24c678cb', '01a213c3-5794-71f0-903c-fc38e53156c2', '01a213c3-5632-78c1-aa28-6099496ef00a', '01a213c3-5634-7b38-b85e-ad8266a04e99', '01a213c3-5780-787a-8dd5-3ef87864d6bd', 'page', 'completed', 1795627898781, NULL, NULL, NULL, NULL, NULL, 1795627898774, 1795627898774, 1795627898781, 0, 0, 0, NULL, NULL);
INSERT INTO public.runs VALUES ('01a213c3-5832-790a-8d7e-864a5d966af3', '01a213c3-581f-7a7d-999f-20c6d7f13645', '01a213c3-5632-78c1-aa28-6099496ef00a', '01a213c3-5634-7b38-b85e-ad8266a04e99', '01a213c3-5780-787a-8dd5-3ef87864d6bd', 'team', 'completed', 1795627898939, NULL, NULL, NULL, NULL, NULL, 1795627898930, 1795627898930, 1795627898939, 0, 0, 0, NULL, NULL);


--
-- Data for Name: secrets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.secrets VALUES ('01a213c3-562f-79a3-b5fa-93dd2b070fbb', '01a213c3-562e-7d8e-9782-08fae7cb1dcd', 'key 01a213c3-562f-773b-948c-9b488a42ecc8', '\xf11a1b2a170f9a0b289a64a35addb040f36ed13b8e903b2b7df280acf2369f89b55358a1d0939e81dd457cdcf31e3871502e112b617b4753228fab111e935904ceb4b4916dceb8d3', 1);
INSERT INTO public.secrets VALUES ('01a213c3-5632-750d-b3c0-1420d462b50f', '01a213c3-562e-7d8e-9782-08fae7cb1dcd', 'key 01a213c3-5632-78c6-9f4e-f896eeacdffc', '\x1441c752ec2c83f4d2be49e3ae8b096169b88d40fb86dff7a7e4cca25a8f50b3ad56e9495ea71081bb7d7a4133997da54d648f64e45f890334f2c2beefba8cedd02b4ea53cc776c6', 1);
INSERT INTO public.secrets VALUES ('01a213c3-5632-7a94-a1c3-ad77209fd2d7', '01a213c3-562e-7d8e-9782-08fae7cb1dcd', 'key 01a213c3-5632-77c9-8953-0b2ac367122f', '\x40a5e8aa8edc0fa8b34100a736b9a7ce4802678dd7defa1f7017b4e9bd9b828f774aa827a14380c9668fc506a782293af9535012a7ad592e0be7230bb1f2726dabcebd8ff84b3fb7', 1);
INSERT INTO public.secrets VALUES ('01a213c3-5636-7cc0-9e5c-1112518806ee', '01a213c3-562e-7d8e-9782-08fae7cb1dcd', 'key 01a213c3-5636-70d6-8691-d3c9cc6e0ebe', '\x4c91fc02224eec33c0cea5a304689b9e49ba7b3e47eebc96d949d6292d581a634986b98328bf857a8cc254ee5048231585bca06f6244111fb168c5baf9c273af4bf18a5c20015e86', 1);
INSERT INTO public.secrets VALUES ('01a213c3-563a-7184-bde5-6434bc28f1e0', '01a213c3-562e-7d8e-9782-08fae7cb1dcd', 'key 01a213c3-563a-7fdd-859a-60ce4ff0a7af', '\x1e515300a535d1392c60c9e2ae5599c0248e5af8987f42f612754eee2f9fa6683c5eb30ec68c4079751cd608dc18a0fac4ab3cf2c5b575f573e5ae585748ca72e723b83e04974652', 1);


--
-- Data for Name: sessions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sessions VALUES ('\xb65c6ce343ae5612b544afac27a7ef70059bb3bef9ae3e8087c83fe4abe8e71c', '01a213c3-5729-7510-9d0a-c50c2681dcce', 1795627898670, 1795627898670, NULL, 'Python-urllib/3.11', '127.0.0.1');
INSERT INTO public.sessions VALUES ('\xc707d97df14eae6aa01e6c1d6eac42f5ea7b08c2bf18b3ef51fffe1949f2ebde', '01a213c3-5775-77be-8277-99971c04d3e6', 1795627898753, 1795627898753, NULL, 'Python-urllib/3.11', '127.0.0.1');


--
-- Data for Name: stars; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: stops; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: team_conductors; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: team_log; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.team_log VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', 0, '\xf7f9f5734da8c655356e2ff34acfc8c57b09516a73814d30e2c4bfebf76922ed', '\xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', '\x7b227465616d223a2230316132313363332d353831662d376137642d393939662d323063366437663133363435222c22736571223a302c2270726576223a2265336230633434323938666331633134396166626634633839393666623932343237616534316534363439623933346361343935393931623738353262383535222c226174223a313739353632373839383931322c226279223a22686f6d65222c226576656e74223a7b226b696e64223a22666f756e646564222c2263686172746572223a7b22676f616c223a2232202b2033222c227061747465726e223a7b226b696e64223a22706c616e5f616e645f64656c6567617465227d2c226c696d697473223a7b226d656d62657273223a342c2271756f72756d223a312c22726f756e6473223a312c227475726e73223a34302c22686f7073223a33322c226465707468223a322c22746f6b656e73223a313030303030302c22636f73745f6d6963726f223a353030303030302c2274696d655f6d73223a313830303030302c227475726e5f6d73223a3132303030302c22696e766974655f6d73223a32303030302c22776f726b5f6d73223a3630303030307d2c22686f6d65223a226469643a6b65793a7a364d6b77394670326477514c5a6b3759746871334c6d63645a557a7773583150654774336873344a4c5452764d536b237a364d6b77394670326477514c5a6b3759746871334c6d63645a557a7773583150654774336873344a4c5452764d536b222c2273757070726573735f72657065617473223a747275657d7d7d', '\x5ce66ea2969bd145ecb8816eb94660a78128f406f5f9d1d054b37c744ed6ffda8dcc8bc8dcfa7c056f9975da4a7f2518996095ada36665133899db4ffdc32c0e');
INSERT INTO public.team_log VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', 1, '\xf7f9f5734da8c655356e2ff34acfc8c57b09516a73814d30e2c4bfebf76922ed', '\x8b9aecf9f4fdf4197a93a809b595945faa7115f4fa45cf0c6366455db03c8c53', '\x7b227465616d223a2230316132313363332d353831662d376137642d393939662d323063366437663133363435222c22736571223a312c2270726576223a2238623961656366396634666466343139376139336138303962353935393435666161373131356634666134356366306336333636343535646230336338633533222c226174223a313739353632373839383931322c226279223a226f776e6572222c226576656e74223a7b226b696e64223a22696e7669746564222c226d656d62657273223a5b7b226964656e74697479223a7b226b696e64223a226167656e74222c2261646472657373223a2240706c657875732f63616c63227d2c22726f6c6573223a5b5d7d5d7d7d', '\x37be189de94982eb4c10e1abfa7a28d796c4217d6a2ba12a0b4ef0b73324327105e12aa867e07c1c7dcfe6e6ded1c1d2977d9bd69b719cdf50982e5334eb4f0f');
INSERT INTO public.team_log VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', 2, '\xf7f9f5734da8c655356e2ff34acfc8c57b09516a73814d30e2c4bfebf76922ed', '\x3a7fe0ca36bed4df5d5c830c03bb36f607775474baf3240e91705c2b1ff7a17e', '\x7b227465616d223a2230316132313363332d353831662d376137642d393939662d323063366437663133363435222c22736571223a322c2270726576223a2233613766653063613336626564346466356435633833306330336262333666363037373735343734626166333234306539313730356332623166663761313765222c226174223a313739353632373839383931392c226279223a7b2273656174223a307d2c226576656e74223a7b226b696e64223a226163636570746564227d7d', '\xc7901d9c3df0793e70f58ff5939022b6ef8e157da7603f12e07edce572b6c41f19db33ccafa11cd33891c527f907d2fffb98b54b2273a31e0b1360e619e45a01');
INSERT INTO public.team_log VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', 3, '\xf7f9f5734da8c655356e2ff34acfc8c57b09516a73814d30e2c4bfebf76922ed', '\x35037d383071cd663302ad516310b566038a51daa9b1af2d8965f6d8f152a7b7', '\x7b227465616d223a2230316132313363332d353831662d376137642d393939662d323063366437663133363435222c22736571223a332c2270726576223a2233353033376433383330373163643636333330326164353136333130623536363033386135316461613962316166326438393635663664386631353261376237222c226174223a313739353632373839383932332c226279223a7b2273656174223a307d2c226576656e74223a7b226b696e64223a2273616964222c227475726e223a312c22736179223a2261737369676e222c226d6f6465223a226e6f77222c22776f726b223a5b7b22746f223a302c2273706563223a7b227469746c65223a2254686520676f616c222c226465736372697074696f6e223a2232202b2033222c22696e70757473223a5b5d7d7d5d2c227573616765223a7b22746f6b656e735f696e223a302c22746f6b656e735f6f7574223a302c22636f73745f6d6963726f223a307d7d7d', '\x7078eb7b159b436c92efb647577162409e30164e47ba34aa43d1ec30dded6a11402b211e5757c8bc4e085d86ed90aebe48c007c25444b46223dfe08942c87903');
INSERT INTO public.team_log VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', 4, '\xf7f9f5734da8c655356e2ff34acfc8c57b09516a73814d30e2c4bfebf76922ed', '\x9d9f2d013ea2b2e8d77a4e88e4c92100fa963dccf311ed9a764c43238d228289', '\x7b227465616d223a2230316132313363332d353831662d376137642d393939662d323063366437663133363435222c22736571223a342c2270726576223a2239643966326430313365613262326538643737613465383865346339323130306661393633646363663331316564396137363463343332333864323238323839222c226174223a313739353632373839383933332c226279223a7b2273656174223a307d2c226576656e74223a7b226b696e64223a2273746172746564222c22776f726b223a307d7d', '\x240022c6446f9c1cf46bfc57cc1d7e145b2177bf920fb0330e35172252bc11f1209b4b7d1dfc559c563bad309e45db5c05a7fdb60dd75229b1c05059e2bff807');
INSERT INTO public.team_log VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', 5, '\xf7f9f5734da8c655356e2ff34acfc8c57b09516a73814d30e2c4bfebf76922ed', '\x5039eca4492a5e3c397eb1032539d2fad960243036355d3ea6b858b46b712dc1', '\x7b227465616d223a2230316132313363332d353831662d376137642d393939662d323063366437663133363435222c22736571223a352c2270726576223a2235303339656361343439326135653363333937656231303332353339643266616439363032343330333633353564336561366238353862343662373132646331222c226174223a313739353632373839383934352c226279223a7b2273656174223a307d2c226576656e74223a7b226b696e64223a227265706f72746564222c22776f726b223a302c22656e64223a22636f6d706c65746564222c2274657874223a226032202b203360203d202a2a352a2a222c227573616765223a7b22746f6b656e735f696e223a302c22746f6b656e735f6f7574223a302c22636f73745f6d6963726f223a307d2c22686f7073223a307d7d', '\x0c94baffb055e80673e7c3d5f1d124ad52583104bc3d8f09815ce7a6e0449f9af0f178a1ff143a90d0fa56038b54dc7ced48e2c1c981b14cd575339a6f92550f');
INSERT INTO public.team_log VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', 6, '\xf7f9f5734da8c655356e2ff34acfc8c57b09516a73814d30e2c4bfebf76922ed', '\xf84f4e9455041ca59e8d05d9bd0c80dfa00d9319b8ef6cf522dfcc7868efe657', '\x7b227465616d223a2230316132313363332d353831662d376137642d393939662d323063366437663133363435222c22736571223a362c2270726576223a2266383466346539343535303431636135396538643035643962643063383064666130306439333139623865663663663532326466636337383638656665363537222c226174223a313739353632373839383934372c226279223a7b2273656174223a307d2c226576656e74223a7b226b696e64223a2273616964222c227475726e223a322c22736179223a22636f6e636c756465222c2274657874223a226032202b203360203d202a2a352a2a222c227573616765223a7b22746f6b656e735f696e223a302c22746f6b656e735f6f7574223a302c22636f73745f6d6963726f223a307d7d7d', '\x4768194638444fcd550a080bf0eab113aae2368f0aaed36577c1ebce36aab0ead3197a227161aa52453089b948176bcc40b8e36ac2df2586ef4a498277194f0e');


--
-- Data for Name: team_shares; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.team_shares VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', '\x55124625c981fca3bac410fe5f734877a4dc108dc965489dabbe55641fafca74', 1795627920396);


--
-- Data for Name: teams; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.teams VALUES ('01a213c3-581f-7a7d-999f-20c6d7f13645', '2 + 3', 'plan_and_delegate', '00000000-0000-0000-0000-000000000000', NULL, 2, '{"members":4,"quorum":1,"rounds":1,"turns":40,"hops":32,"depth":2,"tokens":1000000,"cost_micro":5000000,"time_ms":1800000,"turn_ms":120000,"invite_ms":20000,"work_ms":600000}', 'closed', 1795629728912, NULL);


--
-- Data for Name: text_log; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.tokens VALUES ('01a213c3-5789-7ddc-a429-d34b5abe3e49', '\xad93a23c9c239adf85627128a858a5a7e1d142901e8e024bb051fb3b438b4341', '01a213c3-5775-77be-8277-99971c04d3e6', 'report', '["read","chat"]', 'http://127.0.0.1:33443/', 1795627898760, 4102444800000, NULL);


--
-- Data for Name: versions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.versions VALUES ('01a213c3-5634-7b38-b85e-ad8266a04e99', '01a213c3-5632-78c1-aa28-6099496ef00a', '1.0.0', '\x10a419b16a111a4e6f65e75b7292e32edc2d6f414883a97df54ca3e95f173044', '{"kind":"builtin","program":"calc"}', NULL, 1795627898420, NULL);
INSERT INTO public.versions VALUES ('01a213c3-563b-717d-afa5-a56e91a008af', '01a213c3-5636-7d9b-9547-921e987812fc', '1.0.0', '\xe595dd68a710b960b8c7122009643c007d6290070a621ea24354b38ad9f831ca', '{"kind":"builtin","program":"guide"}', NULL, 1795627898427, NULL);


--
-- Data for Name: vouched_origins; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Name: _sqlx_migrations _sqlx_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public._sqlx_migrations
    ADD CONSTRAINT _sqlx_migrations_pkey PRIMARY KEY (version);


--
-- Name: accounts accounts_email_folded_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_email_folded_key UNIQUE (email_folded);


--
-- Name: accounts accounts_namespace_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_namespace_key UNIQUE (namespace);


--
-- Name: accounts accounts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);


--
-- Name: agent_secrets agent_secrets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_secrets
    ADD CONSTRAINT agent_secrets_pkey PRIMARY KEY (agent, account);


--
-- Name: agents agents_hub_owner_folded_name_folded_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_hub_owner_folded_name_folded_key UNIQUE (hub, owner_folded, name_folded);


--
-- Name: agents agents_listing_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_listing_id_key UNIQUE (listing_id);


--
-- Name: agents agents_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_pkey PRIMARY KEY (id);


--
-- Name: approvals approvals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.approvals
    ADD CONSTRAINT approvals_pkey PRIMARY KEY (id);


--
-- Name: assignments assignments_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.assignments
    ADD CONSTRAINT assignments_pkey PRIMARY KEY (id);


--
-- Name: audit audit_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (id);


--
-- Name: blob_uses blob_uses_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.blob_uses
    ADD CONSTRAINT blob_uses_pkey PRIMARY KEY (blob, owner_kind, owner);


--
-- Name: blobs blobs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.blobs
    ADD CONSTRAINT blobs_pkey PRIMARY KEY (sha256);


--
-- Name: cards cards_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.cards
    ADD CONSTRAINT cards_pkey PRIMARY KEY (sha256);


--
-- Name: chats chats_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chats
    ADD CONSTRAINT chats_pkey PRIMARY KEY (id);


--
-- Name: contexts contexts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contexts
    ADD CONSTRAINT contexts_pkey PRIMARY KEY (caller, agent, name);


--
-- Name: counters counters_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.counters
    ADD CONSTRAINT counters_pkey PRIMARY KEY (name);


--
-- Name: credentials credentials_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credentials
    ADD CONSTRAINT credentials_pkey PRIMARY KEY (id);


--
-- Name: drafts drafts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.drafts
    ADD CONSTRAINT drafts_pkey PRIMARY KEY (id);


--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (chat, seq);


--
-- Name: grants grants_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.grants
    ADD CONSTRAINT grants_pkey PRIMARY KEY (target, principal);


--
-- Name: histories histories_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.histories
    ADD CONSTRAINT histories_pkey PRIMARY KEY (caller, agent, digest, question);


--
-- Name: hub_addresses hub_addresses_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.hub_addresses
    ADD CONSTRAINT hub_addresses_pkey PRIMARY KEY (peer);


--
-- Name: hub_announcements hub_announcements_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.hub_announcements
    ADD CONSTRAINT hub_announcements_pkey PRIMARY KEY (key, provider);


--
-- Name: hub_faults hub_faults_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.hub_faults
    ADD CONSTRAINT hub_faults_pkey PRIMARY KEY (hub, fault);


--
-- Name: hub_nonces hub_nonces_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.hub_nonces
    ADD CONSTRAINT hub_nonces_pkey PRIMARY KEY (hub, nonce);


--
-- Name: hub_rules hub_rules_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.hub_rules
    ADD CONSTRAINT hub_rules_pkey PRIMARY KEY (subject);


--
-- Name: hubs hubs_domain_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.hubs
    ADD CONSTRAINT hubs_domain_key UNIQUE (domain);


--
-- Name: hubs hubs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.hubs
    ADD CONSTRAINT hubs_pkey PRIMARY KEY (id);


--
-- Name: invites invites_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invites
    ADD CONSTRAINT invites_pkey PRIMARY KEY (hash);


--
-- Name: jobs jobs_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_key_key UNIQUE (key);


--
-- Name: jobs jobs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);


--
-- Name: keys keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.keys
    ADD CONSTRAINT keys_pkey PRIMARY KEY (id);


--
-- Name: keys keys_public_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.keys
    ADD CONSTRAINT keys_public_key UNIQUE (public);


--
-- Name: limits_used limits_used_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.limits_used
    ADD CONSTRAINT limits_used_pkey PRIMARY KEY (key, since);


--
-- Name: listed_rules listed_rules_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.listed_rules
    ADD CONSTRAINT listed_rules_pkey PRIMARY KEY (list, subject);


--
-- Name: listings listings_change_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.listings
    ADD CONSTRAINT listings_change_key UNIQUE (change);


--
-- Name: listings listings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.listings
    ADD CONSTRAINT listings_pkey PRIMARY KEY (agent);


--
-- Name: members members_chat_principal_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_chat_principal_key UNIQUE (chat, principal);


--
-- Name: members members_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_pkey PRIMARY KEY (id);


--
-- Name: messages messages_chat_seq_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_chat_seq_key UNIQUE (chat, seq);


--
-- Name: messages messages_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (id);


--
-- Name: models models_namespace_name_folded_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.models
    ADD CONSTRAINT models_namespace_name_folded_key UNIQUE (namespace, name_folded);


--
-- Name: models models_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.models
    ADD CONSTRAINT models_pkey PRIMARY KEY (id);


--
-- Name: namespace_members namespace_members_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.namespace_members
    ADD CONSTRAINT namespace_members_pkey PRIMARY KEY (namespace, account);


--
-- Name: namespaces namespaces_name_folded_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.namespaces
    ADD CONSTRAINT namespaces_name_folded_key UNIQUE (name_folded);


--
-- Name: namespaces namespaces_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.namespaces
    ADD CONSTRAINT namespaces_pkey PRIMARY KEY (id);


--
-- Name: oauth_grants oauth_grants_code_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth_grants
    ADD CONSTRAINT oauth_grants_code_key UNIQUE (code);


--
-- Name: oauth_grants oauth_grants_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth_grants
    ADD CONSTRAINT oauth_grants_pkey PRIMARY KEY (id);


--
-- Name: oauth_grants oauth_grants_refresh_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth_grants
    ADD CONSTRAINT oauth_grants_refresh_key UNIQUE (refresh);


--
-- Name: oauth_tokens oauth_tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth_tokens
    ADD CONSTRAINT oauth_tokens_pkey PRIMARY KEY (token);


--
-- Name: outbox outbox_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (id);


--
-- Name: parts parts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.parts
    ADD CONSTRAINT parts_pkey PRIMARY KEY (message, idx);


--
-- Name: principals principals_account_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.principals
    ADD CONSTRAINT principals_account_key UNIQUE (account);


--
-- Name: principals principals_agent_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.principals
    ADD CONSTRAINT principals_agent_key UNIQUE (agent);


--
-- Name: principals principals_hub_pseudonym_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.principals
    ADD CONSTRAINT principals_hub_pseudonym_key UNIQUE (hub, pseudonym);


--
-- Name: principals principals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.principals
    ADD CONSTRAINT principals_pkey PRIMARY KEY (id);


--
-- Name: processes processes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.processes
    ADD CONSTRAINT processes_pkey PRIMARY KEY (id);


--
-- Name: proofs proofs_agent_origin_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.proofs
    ADD CONSTRAINT proofs_agent_origin_key UNIQUE (agent, origin);


--
-- Name: proofs proofs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.proofs
    ADD CONSTRAINT proofs_pkey PRIMARY KEY (id);


--
-- Name: push push_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.push
    ADD CONSTRAINT push_pkey PRIMARY KEY (id);


--
-- Name: push push_run_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.push
    ADD CONSTRAINT push_run_name_key UNIQUE (run, name);


--
-- Name: rule_lists rule_lists_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rule_lists
    ADD CONSTRAINT rule_lists_pkey PRIMARY KEY (url);


--
-- Name: runs runs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (id);


--
-- Name: secrets secrets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.secrets
    ADD CONSTRAINT secrets_pkey PRIMARY KEY (id);


--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (hash);


--
-- Name: stars stars_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stars
    ADD CONSTRAINT stars_pkey PRIMARY KEY (account, agent);


--
-- Name: stops stops_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stops
    ADD CONSTRAINT stops_pkey PRIMARY KEY (run);


--
-- Name: team_conductors team_conductors_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.team_conductors
    ADD CONSTRAINT team_conductors_pkey PRIMARY KEY (team);


--
-- Name: team_log team_log_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.team_log
    ADD CONSTRAINT team_log_pkey PRIMARY KEY (team, seq);


--
-- Name: team_shares team_shares_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.team_shares
    ADD CONSTRAINT team_shares_hash_key UNIQUE (hash);


--
-- Name: team_shares team_shares_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.team_shares
    ADD CONSTRAINT team_shares_pkey PRIMARY KEY (team);


--
-- Name: teams teams_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_pkey PRIMARY KEY (chat);


--
-- Name: text_log text_log_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.text_log
    ADD CONSTRAINT text_log_pkey PRIMARY KEY (process, n);


--
-- Name: tokens tokens_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_hash_key UNIQUE (hash);


--
-- Name: tokens tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (id);


--
-- Name: versions versions_agent_semver_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.versions
    ADD CONSTRAINT versions_agent_semver_key UNIQUE (agent, semver);


--
-- Name: versions versions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.versions
    ADD CONSTRAINT versions_pkey PRIMARY KEY (id);


--
-- Name: vouched_origins vouched_origins_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.vouched_origins
    ADD CONSTRAINT vouched_origins_pkey PRIMARY KEY (origin);


--
-- Name: accounts_by_erase_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX accounts_by_erase_at ON public.accounts USING btree (erase_at) WHERE (erase_at IS NOT NULL);


--
-- Name: agent_secrets_by_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX agent_secrets_by_account ON public.agent_secrets USING btree (account);


--
-- Name: agents_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX agents_by_name ON public.agents USING btree (hub, name_folded);


--
-- Name: agents_by_namespace; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX agents_by_namespace ON public.agents USING btree (namespace);


--
-- Name: approvals_by_run; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX approvals_by_run ON public.approvals USING btree (run);


--
-- Name: assignments_by_team; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX assignments_by_team ON public.assignments USING btree (team);


--
-- Name: audit_by_target; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_by_target ON public.audit USING btree (target, at);


--
-- Name: audit_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_by_time ON public.audit USING btree (at);


--
-- Name: chats_by_creator; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX chats_by_creator ON public.chats USING btree (creator);


--
-- Name: chats_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX chats_by_expiry ON public.chats USING btree (keep_until) WHERE (keep_until IS NOT NULL);


--
-- Name: contexts_by_chat; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contexts_by_chat ON public.contexts USING btree (chat);


--
-- Name: credentials_by_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credentials_by_account ON public.credentials USING btree (account, kind);


--
-- Name: drafts_by_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX drafts_by_account ON public.drafts USING btree (account);


--
-- Name: drafts_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX drafts_by_expiry ON public.drafts USING btree (expires);


--
-- Name: grants_by_principal; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX grants_by_principal ON public.grants USING btree (principal);


--
-- Name: histories_by_question; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX histories_by_question ON public.histories USING btree (question);


--
-- Name: hub_addresses_by_seen; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX hub_addresses_by_seen ON public.hub_addresses USING btree (seen);


--
-- Name: hub_announcements_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX hub_announcements_by_expiry ON public.hub_announcements USING btree (expires);


--
-- Name: hub_nonces_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX hub_nonces_by_expiry ON public.hub_nonces USING btree (expires);


--
-- Name: hubs_by_peer; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX hubs_by_peer ON public.hubs USING btree (peer);


--
-- Name: invites_by_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invites_by_account ON public.invites USING btree (invited_by);


--
-- Name: jobs_by_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX jobs_by_due ON public.jobs USING btree (due) WHERE (NOT failed);


--
-- Name: keys_by_agent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX keys_by_agent ON public.keys USING btree (agent);


--
-- Name: keys_by_hub; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX keys_by_hub ON public.keys USING btree (hub);


--
-- Name: limits_used_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX limits_used_by_age ON public.limits_used USING btree (since);


--
-- Name: listed_rules_by_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listed_rules_by_subject ON public.listed_rules USING btree (subject, list);


--
-- Name: listings_by_card; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listings_by_card ON public.listings USING btree (card);


--
-- Name: listings_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listings_by_expiry ON public.listings USING btree (expires);


--
-- Name: listings_by_hash; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX listings_by_hash ON public.listings USING btree (hash);


--
-- Name: members_by_leaf; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX members_by_leaf ON public.members USING btree (leaf);


--
-- Name: members_by_principal; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX members_by_principal ON public.members USING btree (principal);


--
-- Name: messages_by_parent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX messages_by_parent ON public.messages USING btree (parent);


--
-- Name: messages_by_run; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX messages_by_run ON public.messages USING btree (run);


--
-- Name: messages_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX messages_open ON public.messages USING btree (chat) WHERE (state = 'open'::text);


--
-- Name: namespace_members_by_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX namespace_members_by_account ON public.namespace_members USING btree (account);


--
-- Name: oauth_grants_by_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oauth_grants_by_account ON public.oauth_grants USING btree (account);


--
-- Name: oauth_grants_by_spent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oauth_grants_by_spent ON public.oauth_grants USING btree (spent) WHERE (spent IS NOT NULL);


--
-- Name: oauth_tokens_by_grant; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oauth_tokens_by_grant ON public.oauth_tokens USING btree (grant_id);


--
-- Name: outbox_by_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX outbox_by_due ON public.outbox USING btree (due);


--
-- Name: outbox_by_target; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX outbox_by_target ON public.outbox USING btree (target, id);


--
-- Name: parts_by_blob; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX parts_by_blob ON public.parts USING btree (blob) WHERE (blob IS NOT NULL);


--
-- Name: principals_anonymous; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX principals_anonymous ON public.principals USING btree (kind) WHERE (kind = 'anonymous'::text);


--
-- Name: push_by_caller; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX push_by_caller ON public.push USING btree (caller);


--
-- Name: runs_by_agent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX runs_by_agent ON public.runs USING btree (agent, queued);


--
-- Name: runs_by_assignment; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX runs_by_assignment ON public.runs USING btree (assignment) WHERE (assignment IS NOT NULL);


--
-- Name: runs_by_caller; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX runs_by_caller ON public.runs USING btree (caller, queued);


--
-- Name: runs_by_chat; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX runs_by_chat ON public.runs USING btree (chat, queued);


--
-- Name: runs_by_parent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX runs_by_parent ON public.runs USING btree (parent) WHERE (parent IS NOT NULL);


--
-- Name: runs_by_process; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX runs_by_process ON public.runs USING btree (process) WHERE (state = ANY (ARRAY['queued'::text, 'working'::text, 'input_required'::text, 'auth_required'::text]));


--
-- Name: secrets_by_namespace; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX secrets_by_namespace ON public.secrets USING btree (namespace);


--
-- Name: sessions_by_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sessions_by_account ON public.sessions USING btree (account);


--
-- Name: stars_by_agent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX stars_by_agent ON public.stars USING btree (agent);


--
-- Name: teams_by_deadline; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX teams_by_deadline ON public.teams USING btree (deadline);


--
-- Name: teams_by_parent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX teams_by_parent ON public.teams USING btree (parent);


--
-- Name: tokens_by_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tokens_by_account ON public.tokens USING btree (account);


--
-- Name: versions_by_card; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX versions_by_card ON public.versions USING btree (card);


--
-- Name: accounts accounts_namespace_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_namespace_fkey FOREIGN KEY (namespace) REFERENCES public.namespaces(id);


--
-- Name: agent_secrets agent_secrets_account_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_secrets
    ADD CONSTRAINT agent_secrets_account_fkey FOREIGN KEY (account) REFERENCES public.accounts(id) ON DELETE CASCADE;


--
-- Name: agent_secrets agent_secrets_agent_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_secrets
    ADD CONSTRAINT agent_secrets_agent_fkey FOREIGN KEY (agent) REFERENCES public.agents(id) ON DELETE CASCADE;


--
-- Name: agent_secrets agent_secrets_secret_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_secrets
    ADD CONSTRAINT agent_secrets_secret_fkey FOREIGN KEY (secret) REFERENCES public.secrets(id);


--
-- Name: agents agents_hub_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_hub_fkey FOREIGN KEY (hub) REFERENCES public.hubs(id);


--
-- Name: agents agents_namespace_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_namespace_fkey FOREIGN KEY (namespace) REFERENCES public.namespaces(id);


--
-- Name: approvals approvals_decided_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.approvals
    ADD CONSTRAINT approvals_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES public.principals(id);


--
-- Name: approvals approvals_run_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.approvals
    ADD CONSTRAINT approvals_run_fkey FOREIGN KEY (run) REFERENCES public.runs(id) ON DELETE CASCADE;


--
-- Name: assignments assignments_member_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.assignments
    ADD CONSTRAINT assignments_member_fkey FOREIGN KEY (member) REFERENCES public.principals(id);


--
-- Name: assignments assignments_team_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.assignments
    ADD CONSTRAINT assignments_team_fkey FOREIGN KEY (team) REFERENCES public.teams(chat) ON DELETE CASCADE;


--
-- Name: blob_uses blob_uses_blob_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.blob_uses
    ADD CONSTRAINT blob_uses_blob_fkey FOREIGN KEY (blob) REFERENCES public.blobs(sha256);


--
-- Name: chats chats_creator_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chats
    ADD CONSTRAINT chats_creator_fkey FOREIGN KEY (creator) REFERENCES public.principals(id);


--
-- Name: contexts contexts_agent_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contexts
    ADD CONSTRAINT contexts_agent_fkey FOREIGN KEY (agent) REFERENCES public.agents(id);


--
-- Name: contexts contexts_caller_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contexts
    ADD CONSTRAINT contexts_caller_fkey FOREIGN KEY (caller) REFERENCES public.principals(id);


--
-- Name: contexts contexts_chat_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contexts
    ADD CONSTRAINT contexts_chat_fkey FOREIGN KEY (chat) REFERENCES public.chats(id) ON DELETE CASCADE;


--
-- Name: credentials credentials_account_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credentials
    ADD CONSTRAINT credentials_account_fkey FOREIGN KEY (account) REFERENCES public.accounts(id) ON DELETE CASCADE;


--
-- Name: drafts drafts_account_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.drafts
    ADD CONSTRAINT drafts_account_fkey FOREIGN KEY (account) REFERENCES public.accounts(id) ON DELETE CASCADE;


--
-- Name: events events_chat_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_chat_fkey FOREIGN KEY (chat) REFERENCES public.chats(id) ON DELETE CASCADE;


--
-- Name: grants grants_principal_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.grants
    ADD CONSTRAINT grants_principal_fkey FOREIGN KEY (principal) REFERENCES public.principals(id) ON DELETE CASCADE;


--
-- Name: histories histories_agent_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.histories
    ADD CONSTRAINT histories_agent_fkey FOREIGN KEY (agent) REFERENCES public.agents(id);


--
-- Name: histories histories_caller_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.histories
    ADD CONSTRAINT histories_caller_fkey FOREIGN KEY (caller) REFERENCES public.principals(id);


--
-- Name: histories histories_question_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.histories
    ADD CONSTRAINT histories_question_fkey FOREIGN KEY (question) REFERENCES public.messages(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;


--
-- Name: hub_faults hub_faults_hub_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.hub_faults
    ADD CONSTRAINT hub_faults_hub_fkey FOREIGN KEY (hub) REFERENCES public.hubs(id) ON DELETE CASCADE;


--
-- Name: hub_nonces hub_nonces_hub_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.hub_nonces
    ADD CONSTRAINT hub_nonces_hub_fkey FOREIGN KEY (hub) REFERENCES public.hubs(id) ON DELETE CASCADE;


--
-- Name: invites invites_invited_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invites
    ADD CONSTRAINT invites_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES public.accounts(id) ON DELETE CASCADE;


--
-- Name: keys keys_agent_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.keys
    ADD CONSTRAINT keys_agent_fkey FOREIGN KEY (agent) REFERENCES public.agents(id);


--
-- Name: keys keys_hub_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.keys
    ADD CONSTRAINT keys_hub_fkey FOREIGN KEY (hub) REFERENCES public.hubs(id);


--
-- Name: keys keys_secret_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.keys
    ADD CONSTRAINT keys_secret_fkey FOREIGN KEY (secret) REFERENCES public.secrets(id);


--
-- Name: listed_rules listed_rules_list_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.listed_rules
    ADD CONSTRAINT listed_rules_list_fkey FOREIGN KEY (list) REFERENCES public.rule_lists(url) ON DELETE CASCADE;


--
-- Name: listings listings_agent_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.listings
    ADD CONSTRAINT listings_agent_fkey FOREIGN KEY (agent) REFERENCES public.agents(id);


--
-- Name: listings listings_card_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.listings
    ADD CONSTRAINT listings_card_fkey FOREIGN KEY (card) REFERENCES public.cards(sha256);


--
-- Name: members members_chat_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_chat_fkey FOREIGN KEY (chat) REFERENCES public.chats(id) ON DELETE CASCADE;


--
-- Name: members members_leaf_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_leaf_fkey FOREIGN KEY (leaf) REFERENCES public.messages(id) ON DELETE SET NULL;


--
-- Name: members members_principal_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_principal_fkey FOREIGN KEY (principal) REFERENCES public.principals(id);


--
-- Name: messages messages_author_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_author_fkey FOREIGN KEY (author) REFERENCES public.principals(id);


--
-- Name: messages messages_chat_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_chat_fkey FOREIGN KEY (chat) REFERENCES public.chats(id) ON DELETE CASCADE;


--
-- Name: messages messages_parent_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_parent_fkey FOREIGN KEY (parent) REFERENCES public.messages(id);


--
-- Name: messages messages_run_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_run_fkey FOREIGN KEY (run) REFERENCES public.runs(id);


--
-- Name: models models_namespace_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.models
    ADD CONSTRAINT models_namespace_fkey FOREIGN KEY (namespace) REFERENCES public.namespaces(id);


--
-- Name: models models_secret_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.models
    ADD CONSTRAINT models_secret_fkey FOREIGN KEY (secret) REFERENCES public.secrets(id);


--
-- Name: namespace_members namespace_members_account_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.namespace_members
    ADD CONSTRAINT namespace_members_account_fkey FOREIGN KEY (account) REFERENCES public.accounts(id) ON DELETE CASCADE;


--
-- Name: namespace_members namespace_members_namespace_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.namespace_members
    ADD CONSTRAINT namespace_members_namespace_fkey FOREIGN KEY (namespace) REFERENCES public.namespaces(id) ON DELETE CASCADE;


--
-- Name: oauth_grants oauth_grants_account_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth_grants
    ADD CONSTRAINT oauth_grants_account_fkey FOREIGN KEY (account) REFERENCES public.accounts(id) ON DELETE CASCADE;


--
-- Name: oauth_tokens oauth_tokens_grant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth_tokens
    ADD CONSTRAINT oauth_tokens_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES public.oauth_grants(id) ON DELETE CASCADE;


--
-- Name: oauth_tokens oauth_tokens_token_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth_tokens
    ADD CONSTRAINT oauth_tokens_token_fkey FOREIGN KEY (token) REFERENCES public.tokens(id) ON DELETE CASCADE;


--
-- Name: parts parts_blob_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.parts
    ADD CONSTRAINT parts_blob_fkey FOREIGN KEY (blob) REFERENCES public.blobs(sha256);


--
-- Name: parts parts_message_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.parts
    ADD CONSTRAINT parts_message_fkey FOREIGN KEY (message) REFERENCES public.messages(id) ON DELETE CASCADE;


--
-- Name: principals principals_account_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.principals
    ADD CONSTRAINT principals_account_fkey FOREIGN KEY (account) REFERENCES public.accounts(id);


--
-- Name: principals principals_agent_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.principals
    ADD CONSTRAINT principals_agent_fkey FOREIGN KEY (agent) REFERENCES public.agents(id);


--
-- Name: principals principals_hub_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.principals
    ADD CONSTRAINT principals_hub_fkey FOREIGN KEY (hub) REFERENCES public.hubs(id);


--
-- Name: proofs proofs_agent_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.proofs
    ADD CONSTRAINT proofs_agent_fkey FOREIGN KEY (agent) REFERENCES public.agents(id) ON DELETE CASCADE;


--
-- Name: push push_caller_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.push
    ADD CONSTRAINT push_caller_fkey FOREIGN KEY (caller) REFERENCES public.principals(id);


--
-- Name: push push_run_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.push
    ADD CONSTRAINT push_run_fkey FOREIGN KEY (run) REFERENCES public.runs(id) ON DELETE CASCADE;


--
-- Name: runs runs_agent_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_agent_fkey FOREIGN KEY (agent) REFERENCES public.agents(id);


--
-- Name: runs runs_assignment_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_assignment_fkey FOREIGN KEY (assignment) REFERENCES public.assignments(id) ON DELETE SET NULL;


--
-- Name: runs runs_caller_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_caller_fkey FOREIGN KEY (caller) REFERENCES public.principals(id);


--
-- Name: runs runs_chat_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_chat_fkey FOREIGN KEY (chat) REFERENCES public.chats(id) ON DELETE CASCADE;


--
-- Name: runs runs_parent_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_parent_fkey FOREIGN KEY (parent) REFERENCES public.runs(id) ON DELETE SET NULL DEFERRABLE;


--
-- Name: runs runs_process_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_process_fkey FOREIGN KEY (process) REFERENCES public.processes(id) ON DELETE SET NULL;


--
-- Name: runs runs_version_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_version_fkey FOREIGN KEY (version) REFERENCES public.versions(id);


--
-- Name: secrets secrets_namespace_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.secrets
    ADD CONSTRAINT secrets_namespace_fkey FOREIGN KEY (namespace) REFERENCES public.namespaces(id);


--
-- Name: sessions sessions_account_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_account_fkey FOREIGN KEY (account) REFERENCES public.accounts(id) ON DELETE CASCADE;


--
-- Name: stars stars_account_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stars
    ADD CONSTRAINT stars_account_fkey FOREIGN KEY (account) REFERENCES public.accounts(id) ON DELETE CASCADE;


--
-- Name: stars stars_agent_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stars
    ADD CONSTRAINT stars_agent_fkey FOREIGN KEY (agent) REFERENCES public.agents(id) ON DELETE CASCADE;


--
-- Name: stops stops_run_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stops
    ADD CONSTRAINT stops_run_fkey FOREIGN KEY (run) REFERENCES public.runs(id) ON DELETE CASCADE;


--
-- Name: team_conductors team_conductors_process_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.team_conductors
    ADD CONSTRAINT team_conductors_process_fkey FOREIGN KEY (process) REFERENCES public.processes(id) ON DELETE CASCADE;


--
-- Name: team_conductors team_conductors_team_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.team_conductors
    ADD CONSTRAINT team_conductors_team_fkey FOREIGN KEY (team) REFERENCES public.teams(chat) ON DELETE CASCADE;


--
-- Name: team_log team_log_team_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.team_log
    ADD CONSTRAINT team_log_team_fkey FOREIGN KEY (team) REFERENCES public.teams(chat) ON DELETE CASCADE;


--
-- Name: team_shares team_shares_team_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.team_shares
    ADD CONSTRAINT team_shares_team_fkey FOREIGN KEY (team) REFERENCES public.teams(chat) ON DELETE CASCADE;


--
-- Name: teams teams_chat_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_chat_fkey FOREIGN KEY (chat) REFERENCES public.chats(id) ON DELETE CASCADE;


--
-- Name: teams teams_home_hub_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_home_hub_fkey FOREIGN KEY (home_hub) REFERENCES public.hubs(id);


--
-- Name: teams teams_parent_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_parent_fkey FOREIGN KEY (parent) REFERENCES public.teams(chat) ON DELETE SET NULL DEFERRABLE;


--
-- Name: tokens tokens_account_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_account_fkey FOREIGN KEY (account) REFERENCES public.accounts(id) ON DELETE CASCADE;


--
-- Name: versions versions_agent_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.versions
    ADD CONSTRAINT versions_agent_fkey FOREIGN KEY (agent) REFERENCES public.agents(id);


--
-- Name: versions versions_card_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.versions
    ADD CONSTRAINT versions_card_fkey FOREIGN KEY (card) REFERENCES public.cards(sha256);


--
-- Name: versions versions_secret_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.versions
    ADD CONSTRAINT versions_secret_fkey FOREIGN KEY (secret) REFERENCES public.secrets(id);


--
-- PostgreSQL database dump complete
--


