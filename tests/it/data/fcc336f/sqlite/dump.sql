BEGIN TRANSACTION;
CREATE TABLE _sqlx_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
);
INSERT INTO "_sqlx_migrations" VALUES(1,'accounts','2026-11-25 17:31:15',1,X'7360DA9A2A45C57A8BD4DE9440D0AD41338E7E07061FF3EE03C913CA5EA7424336FDA799BA8F690BF9F997BABFB048BC',3958325);
INSERT INTO "_sqlx_migrations" VALUES(2,'agents','2026-11-25 17:31:15',1,X'E4BBB61BF35E8799869540D1085A20FF138E4E8E38ED7B819D26C89E413A11D3B57A02668630985CA91DF720EA5D1DF1',8176634);
INSERT INTO "_sqlx_migrations" VALUES(3,'chats','2026-11-25 17:31:15',1,X'0D21AEFA10B896D2C9F2C95A3DA6CC3228CF25082E816B133D3681CAC9FC9C0C3D14641F826F7374660B03F189AAD80F',6409351);
INSERT INTO "_sqlx_migrations" VALUES(4,'messages','2026-11-25 17:31:15',1,X'0DCE37E5E47AFC0BF511696F0D4DE24CAF1C4097A977152E60C9C2F57955D3A135D12AFCA30FD6AD3BB0C92FE75D7892',1168752);
INSERT INTO "_sqlx_migrations" VALUES(5,'work','2026-11-25 17:31:15',1,X'541A2E315156A62607869B00EA16E0030C372B9413D9411B732A384C107A3817615130675F4168ACBD0D6390CA5A9147',757993);
INSERT INTO "_sqlx_migrations" VALUES(6,'leaving','2026-11-25 17:31:15',1,X'AECB4A126A704D7782C99AA72382E5113CFA9F8AED3E2AFAA640E172BCBD2044509D9C0EA30411F0EB6905F4A5A4163A',1741981);
INSERT INTO "_sqlx_migrations" VALUES(7,'vouched origins','2026-11-25 17:31:15',1,X'8FDABEEFEB6FFC76C9B2A44AEE69BDA740FBDAA9B4084E644ECF6282CEB3C816C88D9FAE30A25AE4FB1438DD04B5FC67',3759210);
INSERT INTO "_sqlx_migrations" VALUES(8,'push','2026-11-25 17:31:15',1,X'D7277B3B67EF5B3111459E29D1ED83498D5D1DC63D30B0C99B55CD1D029F0463297943B0B8A8FAC67267AD419C7B8A5E',799865);
INSERT INTO "_sqlx_migrations" VALUES(9,'oauth','2026-11-25 17:31:15',1,X'9F3902D5171EB958F20DF05039FF86B575FD13506E4644B75DBD7B25A4BC01CBD52615C82BED7BF04488BC20403417A7',670744);
INSERT INTO "_sqlx_migrations" VALUES(10,'histories','2026-11-25 17:31:15',1,X'63AE4C9B1D9A7D3F8CCE58EB9826BDC1C876DE87B104AE4C7CF881DF51304B8ECFA872FDF0AC70E634C481B74A5148FA',477888);
INSERT INTO "_sqlx_migrations" VALUES(12,'approvals','2026-11-25 17:31:15',1,X'94BB8ED41471C325C0A7DFF1F70504DA326056A979B4B50511F76BCC8F939C3AF58D6C325C229DD279EEB59FDE9AF646',805604);
INSERT INTO "_sqlx_migrations" VALUES(16,'agent names','2026-11-25 17:31:15',1,X'DA8AC43B8701EB6DADE936A51BE91FCD5BBFEB679AAC5A596F1DFA785E15EE4EA41BEF35815F4CE3C63418A85D436345',413243);
INSERT INTO "_sqlx_migrations" VALUES(17,'stars','2026-11-25 17:31:15',1,X'35461F7CC49B9AF0A4BD85111001839FA41375B93A751510856AA0412B5150D595997FF8C500CBB56725BB75D26261D3',3718038);
INSERT INTO "_sqlx_migrations" VALUES(18,'federation','2026-11-25 17:31:15',1,X'86E4F362B609BAF2CEA0EB38BF2FEDB4187288D4316956343445FD6C772F93BAF5CA0330EDB459385D0F0408A62B6AB5',2333628);
INSERT INTO "_sqlx_migrations" VALUES(19,'hub nonces','2026-11-25 17:31:15',1,X'3F529573594002ABCA8A352411F0F2684B2441940B4B4A7D32501D6A1E891F5C65881478BE44F586C9108323FF4C9418',470948);
INSERT INTO "_sqlx_migrations" VALUES(20,'team shares','2026-11-25 17:31:15',1,X'09E7F0EB11DCE129D250B85FB36E1DAFB5CFA1C80365836C3AD7C30AA238ADDCF3725ADC9E68D3A27B80083C2CCDDA36',571016);
INSERT INTO "_sqlx_migrations" VALUES(22,'hub rules','2026-11-25 17:31:15',1,X'3A6E2C47022040AF5514D31373886AE4D6747DB85762231A90D38510AD50EB3C8B45AF1221A20E5AA6F69BF664E45C25',610475);
INSERT INTO "_sqlx_migrations" VALUES(23,'fewer index pages','2026-11-25 17:31:15',1,X'E364E96254ACBB3012C420C94705573180609804E0155DC854A93DED3A87471261133BEE2E732CEBD9C87696B005F4ED',496175);
INSERT INTO "_sqlx_migrations" VALUES(25,'processes','2026-11-25 17:31:15',1,X'3AD86292A9BCD3DB46DDA1EC8D1347613C95818E839023CF981878EC2118896CAD325FBE19190F5104C1ABEBA092FE23',512709);
INSERT INTO "_sqlx_migrations" VALUES(26,'quotas','2026-11-25 17:31:15',1,X'4AAD15CE5CF91C666D0D77A606614A73A15D45797DAF7DB7D8B550C6C433FB75C7717984A1EB3D1CA36BC6A3F2E785C4',1480013);
INSERT INTO "_sqlx_migrations" VALUES(27,'served until','2026-11-25 17:31:15',1,X'975BBFBAD65AF9EB83541F63D16730C60868AF1BB33BED5254DF191150536203461C0C120AE503E3057835720A8EE9A5',807416);
CREATE TABLE accounts (
    id blob not null primary key,
    namespace blob not null unique references namespaces (id),
    email_folded text unique,
    role text not null check (role in ('user', 'moderator', 'admin')),
    state text not null check (state in ('active', 'pending', 'suspended', 'deleted')),
    prefs text not null,
    created integer not null
, erase_at integer) strict;
INSERT INTO "accounts" VALUES(X'01A213C2FC3D77DCB472C36EA4D3DE8E',X'01A213C2FC3D7BB69ECE82D956968ADC',NULL,'admin','active','{}',1795627875389,NULL);
INSERT INTO "accounts" VALUES(X'01A213C2FC80707CB4FACE2E63BC6C78',X'01A213C2FC807C3DAC71B33B2A0D23D5',NULL,'user','active','{}',1795627875456,NULL);
CREATE TABLE agent_secrets (
    agent blob not null references agents (id) on delete cascade,
    account blob not null references accounts (id) on delete cascade,
    secret blob not null references secrets (id),
    primary key (agent, account)
) strict, without rowid;
CREATE TABLE agents (
    id blob not null primary key,
    hub blob not null references hubs (id),
    owner text not null,
    owner_folded text not null,
    name text not null,
    name_folded text not null,
    listing_id text unique,
    namespace blob references namespaces (id),
    visibility text not null check (visibility in ('private', 'unlisted', 'public', 'federated')),
    access text not null check (access in ('owner', 'listed', 'accounts', 'open')),
    state text not null check (state in ('active', 'paused', 'deleted')),
    created integer not null,
    unique (hub, owner_folded, name_folded)
) strict;
INSERT INTO "agents" VALUES(X'01A213C2FB687252A9FBA928579700FF',X'00000000000000000000000000000000','plexus','plexus','calc','calc','pl15w3uzlkraz2nwvyqfomujkcxckh4m7wtztplv4ejarrkav6fboma',X'01A213C2FB67750992F4AE6A46D21094','public','open','active',1795627875175);
INSERT INTO "agents" VALUES(X'01A213C2FB6873E387CC3E9DD1657843',X'00000000000000000000000000000000','plexus','plexus','guide','guide','pl1yeq7nk453454hhj3elxg2yyavhbh5jkkdaeswdeg2gnkyatew7sa',X'01A213C2FB67750992F4AE6A46D21094','public','open','active',1795627875176);
CREATE TABLE approvals (
    id blob not null primary key,
    run blob not null references runs (id) on delete cascade,
    tool text not null,
    args_sha256 blob not null,
    decision text check (decision in ('yes', 'no')),
    decided_by blob references principals (id),
    expires integer not null
, arguments text not null default 'null') strict;
CREATE TABLE assignments (
    id blob not null primary key,
    team blob not null references teams (chat) on delete cascade,
    member blob not null references principals (id),
    mode text not null check (mode in ('sync', 'async')),
    spec text not null,
    state text not null check (state in ('submitted', 'working', 'completed', 'failed', 'cancelled', 'rejected')),
    deadline integer not null,
    run blob
) strict;
CREATE TABLE audit (
    id blob not null primary key,
    at integer not null,
    actor text not null,
    action text not null,
    target text not null,
    change text not null,
    request text not null
) strict;
CREATE TABLE blob_uses (
    blob blob not null references blobs (sha256),
    owner_kind text not null,
    owner blob not null,
    primary key (blob, owner_kind, owner)
) strict, without rowid;
CREATE TABLE blobs (
    sha256 blob not null primary key,
    size integer not null,
    media_type text not null,
    place text not null
) strict;
CREATE TABLE cards (
    sha256 blob not null primary key,
    body blob not null
) strict;
INSERT INTO "cards" VALUES(X'A881C0738B254C37E579BD0442E729A475D74A21377DED9D81AF2ADACDBDF38B',X'7B226E616D65223A2263616C63222C226465736372697074696F6E223A2243616C63756C6174657320616E6420636F6E76657274733A2061726974686D65746963207769746820756E6974732C2070657263656E74616765732C20646174657320616E64207661726961626C65732C206F6E65206C696E65206F7220612077686F6C652073686565742C20616E737765726564206C696E65206279206C696E652E222C22737570706F72746564496E7465726661636573223A5B7B2275726C223A22687474703A2F2F3132372E302E302E313A34353539332F6132612F706C657875732F63616C632F222C2270726F746F636F6C42696E64696E67223A224A534F4E525043222C2270726F746F636F6C56657273696F6E223A22312E30227D2C7B2275726C223A22687474703A2F2F3132372E302E302E313A34353539332F6132612F706C657875732F63616C632F222C2270726F746F636F6C42696E64696E67223A224A534F4E525043222C2270726F746F636F6C56657273696F6E223A22302E33227D5D2C2276657273696F6E223A2231222C226361706162696C6974696573223A7B2273747265616D696E67223A747275657D2C2264656661756C74496E7075744D6F646573223A5B22746578742F706C61696E222C22746578742F6D61726B646F776E225D2C2264656661756C744F75747075744D6F646573223A5B22746578742F706C61696E222C22746578742F6D61726B646F776E225D2C22736B696C6C73223A5B7B226964223A2263616C63222C226E616D65223A2243616C63756C617465222C226465736372697074696F6E223A2243616C63756C6174657320616E6420636F6E76657274733A2061726974686D65746963207769746820756E6974732C2070657263656E74616765732C20646174657320616E64207661726961626C65732C206F6E65206C696E65206F7220612077686F6C652073686565742C20616E737765726564206C696E65206279206C696E652E222C2274616773223A5B2261726974686D65746963222C2263616C63756C61746F72222C22636F6E76657274222C226D617468656D6174696373222C22756E697473225D2C226578616D706C6573223A5B22313525206F6620323430222C223320686F757273203230206D696E7574657320696E207365636F6E6473222C227370656564203D203432206B6D2F686F75725C6E7370656564202A203335206D696E7574657320696E206B6D225D7D5D7D');
INSERT INTO "cards" VALUES(X'3D9170FE62DBCB6259C284680E6FEED4724AEB2C0087FFFBC4D6556D395BCC7D',X'7B226E616D65223A226775696465222C226465736372697074696F6E223A2246696E647320746865206167656E7420796F75206E6565643A206465736372696265207768617420796F752077616E7420746F20646F2C20616E6420697420616E73776572732077697468206167656E7473206F6620746869732068756220616E64206120627574746F6E20746F20676F206F6E2077697468206F6E652E222C22737570706F72746564496E7465726661636573223A5B7B2275726C223A22687474703A2F2F3132372E302E302E313A34353539332F6132612F706C657875732F67756964652F222C2270726F746F636F6C42696E64696E67223A224A534F4E525043222C2270726F746F636F6C56657273696F6E223A22312E30227D2C7B2275726C223A22687474703A2F2F3132372E302E302E313A34353539332F6132612F706C657875732F67756964652F222C2270726F746F636F6C42696E64696E67223A224A534F4E525043222C2270726F746F636F6C56657273696F6E223A22302E33227D5D2C2276657273696F6E223A2231222C226361706162696C6974696573223A7B2273747265616D696E67223A747275657D2C2264656661756C74496E7075744D6F646573223A5B22746578742F706C61696E222C22746578742F6D61726B646F776E222C226170706C69636174696F6E2F6A736F6E225D2C2264656661756C744F75747075744D6F646573223A5B22746578742F706C61696E222C22746578742F6D61726B646F776E225D2C22736B696C6C73223A5B7B226964223A226775696465222C226E616D65223A2246696E6420616E206167656E74222C226465736372697074696F6E223A224465736372696265207768617420796F752077616E7420746F20646F2C20616E6420697420616E73776572732077697468206167656E7473206F662074686973206875622E222C2274616773223A5B226167656E7473222C226469726563746F7279222C2268656C70222C22736561726368225D2C226578616D706C6573223A5B2257686F2063616E20636F6E7665727420756E6974733F222C22416E206167656E742074686174207472616E736C61746573222C22576861742063616E204920646F20686572653F225D7D2C7B226964223A22666F726D2D612D7465616D222C226E616D65223A22466F726D2061207465616D222C226465736372697074696F6E223A22466F726D732061207465616D206F66206167656E747320666F72206120676F616C20616E6420616E73776572732077697468207768617420697420636F6D657320746F3A2073656E6420612074657874207468617420626567696E732077697468205C22466F726D2061207465616D5C222C206F72206120646174612070617274207B5C22676F616C5C223A20746578742C205C226D656D626572735C223A205B6164647265737365735D7D2E204974206E65656473206120746F6B656E2077697468207468652073636F7065205C227465616D5C222E222C2274616773223A5B226167656E7473222C22636F6C6C61626F726174696F6E222C2264656C65676174696F6E222C227465616D73225D2C226578616D706C6573223A5B22466F726D2061207465616D20746F2066696E642074686520746964652074696D6573206F6620487573756D2C20616E6420636F6E7665727420746865206865696768747320746F2066656574225D7D5D7D');
CREATE TABLE chats (
    id blob not null primary key,
    kind text not null check (kind in ('direct', 'room', 'team', 'api')),
    title text not null,
    creator blob not null references principals (id),
    last_seq integer not null,
    settings text not null,
    created integer not null,
    active integer not null,
    keep_until integer,
    archived integer
, bytes integer not null default 0) strict;
INSERT INTO "chats" VALUES(X'01A213C2FC8C7117804A381BABC74969','direct','1 km + 250 m',X'01A213C2FC8070ABAC77C1C434B2426A',8,'{}',1795627875468,1795627875470,NULL,NULL,2138);
INSERT INTO "chats" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6','team','2 + 3',X'01A213C2FC8070ABAC77C1C434B2426A',16,'{}',1795627875582,1795627875595,NULL,NULL,5367);
CREATE TABLE contexts (
    caller blob not null references principals (id),
    agent blob not null references agents (id),
    name text not null,
    chat blob not null references chats (id) on delete cascade,
    primary key (caller, agent, name)
) strict, without rowid;
CREATE TABLE counters (
    name text not null primary key,
    n integer not null
) strict, without rowid;
INSERT INTO "counters" VALUES('listings',3);
CREATE TABLE credentials (
    id blob not null primary key,
    account blob not null references accounts (id) on delete cascade,
    kind text not null check (kind in ('password', 'passkey', 'totp', 'recovery')),
    data text not null,
    created integer not null,
    used integer
) strict;
INSERT INTO "credentials" VALUES(X'01A213C2FC3D7187A278D6224B2241DC',X'01A213C2FC3D77DCB472C36EA4D3DE8E','password','$argon2id$v=19$m=19456,t=2,p=1$fLa6JEAsvaC/rBvVKROkYw$/0P4zUDM69aSt04fnfFybY9zIII19kxs3XEe1N1urYg',1795627875389,NULL);
INSERT INTO "credentials" VALUES(X'01A213C2FC80780EB27876769ADAA11E',X'01A213C2FC80707CB4FACE2E63BC6C78','password','$argon2id$v=19$m=19456,t=2,p=1$bYQcvlRlD81Vpqjh0+4zIA$mHDoDZqirz8OBOjiyav/y4czoIuqMEei++pI3DJK8R8',1795627875456,NULL);
CREATE TABLE drafts (
    id blob not null primary key,
    account blob not null references accounts (id) on delete cascade,
    step text not null,
    data text not null,
    expires integer not null
) strict;
CREATE TABLE events (
    chat blob not null references chats (id) on delete cascade,
    seq integer not null,
    kind text not null,
    message blob,
    run blob,
    payload text not null,
    at integer not null,
    primary key (chat, seq)
) strict, without rowid;
INSERT INTO "events" VALUES(X'01A213C2FC8C7117804A381BABC74969',2,'message',X'355E295143404EA0BA516B553FEBE06A',NULL,'{"kind":"message","message":"355e2951-4340-4ea0-ba51-6b553febe06a","run":null}',1795627875470);
INSERT INTO "events" VALUES(X'01A213C2FC8C7117804A381BABC74969',3,'member',NULL,NULL,'{"kind":"member","principal":"01a213c2-fc8d-70b1-b6fb-1c3445d68420","joined":true}',1795627875470);
INSERT INTO "events" VALUES(X'01A213C2FC8C7117804A381BABC74969',5,'message',X'01A213C2FC8D7A679F701CFA0B9A7CE1',X'01A213C2FC8D72F6A663EE527F988967','{"kind":"message","message":"01a213c2-fc8d-7a67-9f70-1cfa0b9a7ce1","run":"01a213c2-fc8d-72f6-a663-ee527f988967"}',1795627875470);
INSERT INTO "events" VALUES(X'01A213C2FC8C7117804A381BABC74969',6,'run',NULL,X'01A213C2FC8D72F6A663EE527F988967','{"kind":"run","run":"01a213c2-fc8d-72f6-a663-ee527f988967","state":"working"}',1795627875470);
INSERT INTO "events" VALUES(X'01A213C2FC8C7117804A381BABC74969',7,'ended',X'01A213C2FC8D7A679F701CFA0B9A7CE1',NULL,'{"kind":"ended","message":"01a213c2-fc8d-7a67-9f70-1cfa0b9a7ce1","state":"done"}',1795627875476);
INSERT INTO "events" VALUES(X'01A213C2FC8C7117804A381BABC74969',8,'run',NULL,X'01A213C2FC8D72F6A663EE527F988967','{"kind":"run","run":"01a213c2-fc8d-72f6-a663-ee527f988967","state":"completed"}',1795627875476);
INSERT INTO "events" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6',2,'message',X'01A213C2FCFE7F7686058C10C12B9DCA',NULL,'{"kind":"message","message":"01a213c2-fcfe-7f76-8605-8c10c12b9dca","run":null}',1795627875582);
INSERT INTO "events" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6',3,'team',NULL,NULL,'{"kind":"team","entry":1}',1795627875582);
INSERT INTO "events" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6',4,'team',NULL,NULL,'{"kind":"team","entry":2}',1795627875587);
INSERT INTO "events" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6',5,'team',NULL,NULL,'{"kind":"team","entry":3}',1795627875591);
INSERT INTO "events" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6',7,'message',X'01A213C2FD0B75708C55488B46B2AC30',NULL,'{"kind":"message","message":"01a213c2-fd0b-7570-8c55-488b46b2ac30","run":null}',1795627875595);
INSERT INTO "events" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6',8,'member',NULL,NULL,'{"kind":"member","principal":"01a213c2-fc8d-70b1-b6fb-1c3445d68420","joined":true}',1795627875595);
INSERT INTO "events" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6',10,'message',X'01A213C2FD0B71FDB2C3037B2A73DF6D',X'01A213C2FD0B77C394663D1773E48824','{"kind":"message","message":"01a213c2-fd0b-71fd-b2c3-037b2a73df6d","run":"01a213c2-fd0b-77c3-9466-3d1773e48824"}',1795627875595);
INSERT INTO "events" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6',11,'run',NULL,X'01A213C2FD0B77C394663D1773E48824','{"kind":"run","run":"01a213c2-fd0b-77c3-9466-3d1773e48824","state":"working"}',1795627875595);
INSERT INTO "events" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6',12,'team',NULL,NULL,'{"kind":"team","entry":4}',1795627875599);
INSERT INTO "events" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6',13,'ended',X'01A213C2FD0B71FDB2C3037B2A73DF6D',NULL,'{"kind":"ended","message":"01a213c2-fd0b-71fd-b2c3-037b2a73df6d","state":"done"}',1795627875603);
INSERT INTO "events" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6',14,'run',NULL,X'01A213C2FD0B77C394663D1773E48824','{"kind":"run","run":"01a213c2-fd0b-77c3-9466-3d1773e48824","state":"completed"}',1795627875603);
INSERT INTO "events" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6',15,'team',NULL,NULL,'{"kind":"team","entry":5}',1795627875604);
INSERT INTO "events" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6',16,'team',NULL,NULL,'{"kind":"team","entry":6}',1795627875607);
CREATE TABLE grants (
    target blob not null,
    principal blob not null references principals (id) on delete cascade,
    created integer not null,
    primary key (target, principal)
) strict, without rowid;
CREATE TABLE histories (
    caller blob not null references principals (id),
    agent blob not null references agents (id),
    digest blob not null,
    question blob not null references messages (id) on delete cascade deferrable initially deferred,
    primary key (caller, agent, digest, question)
) strict, without rowid;
CREATE TABLE hub_addresses (
    peer text not null primary key,
    addresses text not null,
    seen integer not null
) strict;
CREATE TABLE hub_announcements (
    key blob not null,
    provider text not null,
    addresses text not null,
    expires integer not null,
    primary key (key, provider)
) strict, without rowid;
CREATE TABLE hub_faults (
    hub blob not null references hubs (id) on delete cascade,
    fault text not null check (fault in ('withholds', 'pads', 'swaps', 'stale_head', 'contradicts', 'contradicts_itself')),
    about text not null,
    first_at integer not null,
    last_at integer not null,
    times integer not null,
    primary key (hub, fault)
) strict, without rowid;
CREATE TABLE hub_nonces (
    hub blob not null references hubs (id) on delete cascade,
    nonce blob not null,
    expires integer not null,
    primary key (hub, nonce)
) strict, without rowid;
CREATE TABLE hub_rules (
    subject text not null primary key,
    action text not null check (action in ('allow', 'block')),
    reason text not null,
    author text not null,
    created integer not null,
    expires integer
) strict;
CREATE TABLE hubs (
    id blob not null primary key,
    domain text unique,
    state text not null check (state in ('self', 'probation', 'carried', 'gone')),
    standing text not null check (standing in ('normal', 'trusted', 'limited', 'blocked')),
    record blob,
    head_seq integer not null,
    seen integer not null
, peer text, head blob, met integer) strict;
INSERT INTO "hubs" VALUES(X'00000000000000000000000000000000',NULL,'self','normal',X'7B22616464726573736573223A5B222F6970342F3132372E302E302E312F7463702F3336323335222C222F6970342F3132372E302E302E312F7564702F34353732382F717569632D7631225D2C2265787069726573223A313739353830303637353231312C22687562223A22313244334B6F6F57466378737932775A644C676A32476F4D5045484C3735457159333751316D6B594C4555335357716978544252222C226E616D65223A22506C65787573222C2272656C6179223A66616C73652C22736571223A313739353632373837353231313030302C22736F667477617265223A22706C657875732F302E312E30222C2274797065223A22706C657875732F6875622F31227D0A65794A68624763694F694A465A45525451534973496D74705A434936496D52705A4470725A586B36656A5A4E61327447636D74774F574E4962586C3161476C304F47525451315A78516B356F656E4E4954474E5165485A534E475978643352765A584635616B567A49336F3254577472526E4A7263446C6A53473135645768706444686B55304E5763554A4F6148707A5345786A55486832556A526D4D586430623256786557704663794973496E523563434936496B70505530556966512E2E675652377834494A6E4B784A546176567A367352446C4166414A5F4D6B4A70656B633738696F614C614B7637476672624C557A7639353841365463506E3845504D39732D75704F4B4E5837756E637A347A41334541670A',1795627875186000,1795627875211,'12D3KooWFcxsy2wZdLgj2GoMPEHL75EqY37Q1mkYLEU3SWqixTBR',X'7B22636F756E74223A302C2266696E6765727072696E74223A2230303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030222C22687562223A22313244334B6F6F57466378737932775A644C676A32476F4D5045484C3735457159333751316D6B594C4555335357716978544252222C22736571223A313739353632373837353138363030302C2274797065223A22706C657875732F686561642F31227D0A65794A68624763694F694A465A45525451534973496D74705A434936496D52705A4470725A586B36656A5A4E61327447636D74774F574E4962586C3161476C304F47525451315A78516B356F656E4E4954474E5165485A534E475978643352765A584635616B567A49336F3254577472526E4A7263446C6A53473135645768706444686B55304E5763554A4F6148707A5345786A55486832556A526D4D586430623256786557704663794973496E523563434936496B70505530556966512E2E49514A4E73396262584E70636744344963426D58464D4C2D77574F794D517A6F394D565937793438654B57735936795A684D41694D753247357A3063414E4A6E38336D555F51436E39647A476D6C454C665F325341510A',1795627875179);
CREATE TABLE invites (
    hash blob not null primary key,
    invited_by blob references accounts (id) on delete cascade,
    role text not null check (role in ('user', 'moderator', 'admin')),
    expires integer not null,
    used integer
) strict;
INSERT INTO "invites" VALUES(X'147BFDF3CA6A47859F7A6DCABF9DF08597D6C791796A16123BD8E21089705800',NULL,'admin',1795714275215,1795627875389);
CREATE TABLE jobs (
    id blob not null primary key,
    name text not null,
    key text unique,
    payload text not null,
    due integer not null,
    locked_until integer,
    tries integer not null,
    error text,
    failed integer not null check (failed in (0, 1))
) strict;
CREATE TABLE keys (
    id blob not null primary key,
    kind text not null check (kind in ('hub', 'agent', 'recovery')),
    agent blob references agents (id),
    hub blob references hubs (id),
    public blob not null unique,
    secret blob references secrets (id),
    created integer not null,
    retired integer
) strict;
INSERT INTO "keys" VALUES(X'01A213C2FB677DACA2ED6870539931DD','hub',NULL,X'00000000000000000000000000000000',X'563A663F0527FFCF389DFBA963640EE13AFFA0844ADF8FFCF9AB7FD4A41E13EC',X'01A213C2FB6774C79D6E48511A1FD76F',1795627875175,NULL);
INSERT INTO "keys" VALUES(X'01A213C2FB68762DA24C13B8276A1C6A','agent',X'01A213C2FB687252A9FBA928579700FF',NULL,X'219BDB0A849DE87427D334553AF6C6604E35FB7DD865722145DDFF52F17B1854',X'01A213C2FB687CD194210CA84599E814',1795627875175,NULL);
INSERT INTO "keys" VALUES(X'01A213C2FB687B1A913F0E443E828A9D','recovery',X'01A213C2FB687252A9FBA928579700FF',NULL,X'AE86488FE7214A01020C760D69450930D8670439C4F033FE18BBC4C3B6AF3FE8',X'01A213C2FB687FE6B1F4AE0605BFB08E',1795627875175,NULL);
INSERT INTO "keys" VALUES(X'01A213C2FB687EA0BBF4C050A468FFCC','agent',X'01A213C2FB6873E387CC3E9DD1657843',NULL,X'977102A2CDF991CA7C859D1DBD7E845833E7A5216BCAD0326C1B8495775A0941',X'01A213C2FB6871E68504F0B13DD72A19',1795627875176,NULL);
INSERT INTO "keys" VALUES(X'01A213C2FB68724C8D3E6869AC0840E6','recovery',X'01A213C2FB6873E387CC3E9DD1657843',NULL,X'934BC5A8CB5D9D8F4AE725CC9BBC59C51BA2B5039B65689A84D754A14BF3FF9A',X'01A213C2FB6872819A83837B7293E186',1795627875176,NULL);
CREATE TABLE limits_used (
    key text not null,
    since integer not null,
    n integer not null,
    primary key (key, since)
) strict, without rowid;
CREATE TABLE listed_rules (
    list text not null references rule_lists (url) on delete cascade,
    subject text not null,
    action text not null check (action in ('allow', 'block')),
    reason text not null,
    created integer not null,
    expires integer,
    primary key (list, subject)
) strict, without rowid;
CREATE TABLE listings (
    agent blob not null primary key references agents (id),
    seq integer not null,
    card blob not null references cards (sha256),
    summary text not null,
    envelope blob,
    issued integer not null,
    expires integer,
    leased_until integer,
    state text not null check (state in ('live', 'paused', 'deleted')),
    change integer not null unique
, hash blob) strict;
INSERT INTO "listings" VALUES(X'01A213C2FB687252A9FBA928579700FF',1795627875176001,X'A881C0738B254C37E579BD0442E729A475D74A21377DED9D81AF2ADACDBDF38B','{"title":"calc","summary":"Calculates and converts: arithmetic with units, percentages, dates and variables, one line or a whole sheet, answered line by line.","description":"Calculates and converts: arithmetic with units, percentages, dates and variables, one line or a whole sheet, answered line by line.","tags":["arithmetic","calculator","convert","mathematics","units"],"capabilities":["calc"],"examples":["15% of 240","3 hours 20 minutes in seconds","speed = 42 km/hour\nspeed * 35 minutes in km"],"version":"1","skills":"Calculate\nCalculates and converts: arithmetic with units, percentages, dates and variables, one line or a whole sheet, answered line by line.\n15% of 240\n3 hours 20 minutes in seconds\nspeed = 42 km/hour\nspeed * 35 minutes in km","protocol":"Built in","kind":"builtin","verified":true,"online_at":1795627875477,"uses":1}',NULL,1795627875176,NULL,NULL,'live',3,NULL);
INSERT INTO "listings" VALUES(X'01A213C2FB6873E387CC3E9DD1657843',1795627875176001,X'3D9170FE62DBCB6259C284680E6FEED4724AEB2C0087FFFBC4D6556D395BCC7D','{"title":"guide","summary":"Finds the agent you need: describe what you want to do, and it answers with agents of this hub and a button to go on with one.","description":"Finds the agent you need: describe what you want to do, and it answers with agents of this hub and a button to go on with one.","tags":["agents","collaboration","delegation","directory","help","search","teams"],"capabilities":["guide","form-a-team"],"examples":["Who can convert units?","An agent that translates","What can I do here?","Form a team to find the tide times of Husum, and convert the heights to feet"],"version":"1","skills":"Find an agent\nDescribe what you want to do, and it answers with agents of this hub.\nWho can convert units?\nAn agent that translates\nWhat can I do here?\nForm a team\nForms a team of agents for a goal and answers with what it comes to: send a text that begins with \"Form a team\", or a data part {\"goal\": text, \"members\": [addresses]}. It needs a token with the scope \"team\".\nForm a team to find the tide times of Husum, and convert the heights to feet","protocol":"Built in","kind":"builtin","verified":true,"online_at":null,"uses":0}',NULL,1795627875176,NULL,NULL,'live',2,NULL);
CREATE TABLE members (
    id blob not null primary key,
    chat blob not null references chats (id) on delete cascade,
    principal blob not null references principals (id),
    role text not null check (role in ('owner', 'member', 'guest')),
    joined integer not null,
    left_at integer,
    leaf blob references messages (id) on delete set null,
    read_seq integer not null,
    folder text,
    pinned integer not null check (pinned in (0, 1)),
    unique (chat, principal)
) strict;
INSERT INTO "members" VALUES(X'01A213C2FC8C7690A3E85BDB903FB632',X'01A213C2FC8C7117804A381BABC74969',X'01A213C2FC8070ABAC77C1C434B2426A','owner',1795627875468,NULL,X'01A213C2FC8D7A679F701CFA0B9A7CE1',0,NULL,0);
INSERT INTO "members" VALUES(X'01A213C2FC8D76F3A77B65BE48636B12',X'01A213C2FC8C7117804A381BABC74969',X'01A213C2FC8D70B1B6FB1C3445D68420','guest',1795627875469,NULL,NULL,0,NULL,0);
INSERT INTO "members" VALUES(X'01A213C2FCFE7FE9AED12F1C3768FF27',X'01A213C2FCFE703FAE17D68E41167DC6',X'01A213C2FC8070ABAC77C1C434B2426A','owner',1795627875582,NULL,X'01A213C2FD0B71FDB2C3037B2A73DF6D',0,NULL,0);
INSERT INTO "members" VALUES(X'01A213C2FD0B768DA3B23C2E34507CA8',X'01A213C2FCFE703FAE17D68E41167DC6',X'01A213C2FC8D70B1B6FB1C3445D68420','guest',1795627875595,NULL,NULL,0,NULL,0);
CREATE TABLE messages (
    id blob not null primary key,
    chat blob not null references chats (id) on delete cascade,
    seq integer not null,
    parent blob references messages (id),
    lane integer not null,
    author blob not null references principals (id),
    run blob references runs (id),
    state text not null check (state in ('open', 'done', 'stopped', 'failed', 'deleted')),
    created integer not null,
    unique (chat, seq)
) strict;
INSERT INTO "messages" VALUES(X'355E295143404EA0BA516B553FEBE06A',X'01A213C2FC8C7117804A381BABC74969',1,NULL,0,X'01A213C2FC8070ABAC77C1C434B2426A',NULL,'done',1795627875469);
INSERT INTO "messages" VALUES(X'01A213C2FC8D7A679F701CFA0B9A7CE1',X'01A213C2FC8C7117804A381BABC74969',4,X'355E295143404EA0BA516B553FEBE06A',1,X'01A213C2FC8D70B1B6FB1C3445D68420',X'01A213C2FC8D72F6A663EE527F988967','done',1795627875469);
INSERT INTO "messages" VALUES(X'01A213C2FCFE7F7686058C10C12B9DCA',X'01A213C2FCFE703FAE17D68E41167DC6',1,NULL,0,X'01A213C2FC8070ABAC77C1C434B2426A',NULL,'done',1795627875582);
INSERT INTO "messages" VALUES(X'01A213C2FD0B75708C55488B46B2AC30',X'01A213C2FCFE703FAE17D68E41167DC6',6,NULL,0,X'01A213C2FC8070ABAC77C1C434B2426A',NULL,'done',1795627875595);
INSERT INTO "messages" VALUES(X'01A213C2FD0B71FDB2C3037B2A73DF6D',X'01A213C2FCFE703FAE17D68E41167DC6',9,X'01A213C2FD0B75708C55488B46B2AC30',1,X'01A213C2FC8D70B1B6FB1C3445D68420',X'01A213C2FD0B77C394663D1773E48824','done',1795627875595);
CREATE TABLE models (
    id blob not null primary key,
    namespace blob not null references namespaces (id),
    name text not null,
    name_folded text not null,
    connector text not null,
    secret blob references secrets (id),
    limits text not null,
    created integer not null,
    unique (namespace, name_folded)
) strict;
CREATE TABLE namespace_members (
    namespace blob not null references namespaces (id) on delete cascade,
    account blob not null references accounts (id) on delete cascade,
    role text not null check (role in ('owner', 'member')),
    primary key (namespace, account)
) strict, without rowid;
INSERT INTO "namespace_members" VALUES(X'01A213C2FC3D7BB69ECE82D956968ADC',X'01A213C2FC3D77DCB472C36EA4D3DE8E','owner');
INSERT INTO "namespace_members" VALUES(X'01A213C2FC807C3DAC71B33B2A0D23D5',X'01A213C2FC80707CB4FACE2E63BC6C78','owner');
CREATE TABLE namespaces (
    id blob not null primary key,
    name_folded text not null unique,
    name text not null,
    kind text not null check (kind in ('person', 'org', 'system')),
    created integer not null,
    retired integer
) strict;
INSERT INTO "namespaces" VALUES(X'01A213C2FB67750992F4AE6A46D21094','plexus','plexus','system',1795627875175,NULL);
INSERT INTO "namespaces" VALUES(X'01A213C2FC3D7BB69ECE82D956968ADC','grace','grace','person',1795627875389,NULL);
INSERT INTO "namespaces" VALUES(X'01A213C2FC807C3DAC71B33B2A0D23D5','ada','ada','person',1795627875456,NULL);
CREATE TABLE oauth_grants (
    id blob not null primary key,
    account blob not null references accounts (id) on delete cascade,
    client text not null,
    name text not null,
    redirect text not null,
    challenge text not null,
    resource text not null,
    scopes text not null,
    code blob not null unique,
    refresh blob unique,
    spent blob,
    created integer not null,
    expires integer not null,
    used integer
) strict;
CREATE TABLE oauth_tokens (
    token blob not null primary key references tokens (id) on delete cascade,
    grant_id blob not null references oauth_grants (id) on delete cascade
) strict;
CREATE TABLE outbox (
    id blob not null primary key,
    target text not null,
    kind text not null,
    payload blob not null,
    due integer not null,
    tries integer not null
) strict;
CREATE TABLE parts (
    message blob not null references messages (id) on delete cascade,
    idx integer not null,
    kind text not null check (kind in ('text', 'data', 'file', 'link', 'tool', 'reasoning', 'approval')),
    artifact text,
    body text not null,
    blob blob references blobs (sha256),
    media_type text,
    name text,
    meta text not null,
    primary key (message, idx)
) strict;
INSERT INTO "parts" VALUES(X'355E295143404EA0BA516B553FEBE06A',0,'text',NULL,'{"kind":"text","text":"1 km + 250 m"}',NULL,NULL,NULL,'{}');
INSERT INTO "parts" VALUES(X'01A213C2FC8D7A679F701CFA0B9A7CE1',0,'text',NULL,'{"kind":"text","text":"`1 km + 250 m` = **1.25 km**"}',NULL,NULL,NULL,'{}');
INSERT INTO "parts" VALUES(X'01A213C2FCFE7F7686058C10C12B9DCA',0,'text',NULL,'{"kind":"text","text":"2 + 3"}',NULL,NULL,NULL,'{}');
INSERT INTO "parts" VALUES(X'01A213C2FD0B75708C55488B46B2AC30',0,'text',NULL,'{"kind":"text","text":"2 + 3\n"}',NULL,NULL,'The goal','{}');
INSERT INTO "parts" VALUES(X'01A213C2FD0B71FDB2C3037B2A73DF6D',0,'text',NULL,'{"kind":"text","text":"`2 + 3` = **5**"}',NULL,NULL,NULL,'{}');
CREATE TABLE principals (
    id blob not null primary key,
    kind text not null check (kind in ('account', 'agent', 'remote', 'anonymous')),
    account blob unique references accounts (id),
    agent blob unique references agents (id),
    hub blob references hubs (id),
    pseudonym text,
    unique (hub, pseudonym),
    check ((kind = 'account') = (account is not null)),
    check ((kind = 'agent') = (agent is not null)),
    check ((kind = 'remote') = (hub is not null)),
    check ((kind = 'remote') = (pseudonym is not null))
) strict;
INSERT INTO "principals" VALUES(X'01A213C2FC3D7ACF95D0298DC9A9512C','account',X'01A213C2FC3D77DCB472C36EA4D3DE8E',NULL,NULL,NULL);
INSERT INTO "principals" VALUES(X'01A213C2FC8070ABAC77C1C434B2426A','account',X'01A213C2FC80707CB4FACE2E63BC6C78',NULL,NULL,NULL);
INSERT INTO "principals" VALUES(X'01A213C2FC8D70B1B6FB1C3445D68420','agent',NULL,X'01A213C2FB687252A9FBA928579700FF',NULL,NULL);
CREATE TABLE processes (
    id blob not null primary key,
    started integer not null,
    beat integer not null,
    address text,
    swarm integer not null check (swarm in (0, 1))
) strict;
INSERT INTO "processes" VALUES(X'01A213C2FB617DEA921CA0E8969729C1',1795627875169,1795627896239,NULL,0);
CREATE TABLE proofs (
    id blob not null primary key,
    agent blob not null references agents (id) on delete cascade,
    origin text not null,
    method text not null check (method in ('well_known', 'dns', 'card', 'voucher')),
    ok_at integer,
    failed_at integer,
    unique (agent, origin)
) strict;
CREATE TABLE push (
    id blob not null primary key,
    run blob not null references runs (id) on delete cascade,
    name text not null,
    sealed blob not null, caller blob references principals (id),
    unique (run, name)
) strict;
CREATE TABLE rule_lists (
    url text not null primary key,
    signer text not null,
    name text not null,
    author text not null,
    created integer not null,
    seq integer not null,
    checked integer not null,
    problem text
) strict;
CREATE TABLE runs (
    id blob not null primary key,
    chat blob not null references chats (id) on delete cascade,
    agent blob not null references agents (id),
    version blob not null references versions (id),
    caller blob not null references principals (id),
    origin text not null check (origin in ('page', 'api', 'a2a', 'mcp', 'openai', 'rpc', 'team', 'hub')),
    state text not null check (state in ('queued', 'working', 'input_required', 'auth_required', 'completed',
        'failed', 'stopped', 'rejected')),
    state_at integer not null,
    parent blob references runs (id) on delete set null,
    assignment blob references assignments (id) on delete set null,
    process blob references processes (id) on delete set null,
    remote_task text,
    remote_context text,
    queued integer not null,
    started integer,
    ended integer,
    tokens_in integer not null,
    tokens_out integer not null,
    cost_micro integer not null,
    error_class text,
    error text
) strict;
INSERT INTO "runs" VALUES(X'01A213C2FC8D72F6A663EE527F988967',X'01A213C2FC8C7117804A381BABC74969',X'01A213C2FB687252A9FBA928579700FF',X'01A213C2FB687902AE8F3256C78CC939',X'01A213C2FC8070ABAC77C1C434B2426A','page','completed',1795627875476,NULL,NULL,X'01A213C2FB617DEA921CA0E8969729C1',NULL,NULL,1795627875469,1795627875469,1795627875476,0,0,0,NULL,NULL);
INSERT INTO "runs" VALUES(X'01A213C2FD0B77C394663D1773E48824',X'01A213C2FCFE703FAE17D68E41167DC6',X'01A213C2FB687252A9FBA928579700FF',X'01A213C2FB687902AE8F3256C78CC939',X'01A213C2FC8070ABAC77C1C434B2426A','team','completed',1795627875599,NULL,NULL,X'01A213C2FB617DEA921CA0E8969729C1',NULL,NULL,1795627875595,1795627875595,1795627875599,0,0,0,NULL,NULL);
CREATE TABLE secrets (
    id blob not null primary key,
    namespace blob not null references namespaces (id),
    kind text not null,
    sealed blob not null,
    key_version integer not null
) strict;
INSERT INTO "secrets" VALUES(X'01A213C2FB6774C79D6E48511A1FD76F',X'01A213C2FB67750992F4AE6A46D21094','key 01a213c2-fb67-7dac-a2ed-6870539931dd',X'9440452C1B0D74BFACF33C2F5F97EE10E4E6AF64E0C982627083BE73E1D1B55952F0EF9FEA276098725E14F3C9EA2ECA9615AE87C8EB31DAB71C49E861CB80C8068A6282CED7C2D9',1);
INSERT INTO "secrets" VALUES(X'01A213C2FB687CD194210CA84599E814',X'01A213C2FB67750992F4AE6A46D21094','key 01a213c2-fb68-762d-a24c-13b8276a1c6a',X'FC1A938F7B5B8F3FD8FAB87A57FB02042253B846FDF2774313BF519422B63600C0568230718BDAB884262559469D7E0A1FCC4E8A3D83740B1DA0938CCF432D6F223FE84D591B82B5',1);
INSERT INTO "secrets" VALUES(X'01A213C2FB687FE6B1F4AE0605BFB08E',X'01A213C2FB67750992F4AE6A46D21094','key 01a213c2-fb68-7b1a-913f-0e443e828a9d',X'A489CF2BD3C6B6F983E46E552F050A9AE010C0A24598E5821D907B67EF275D4C350863E2D8BFE44870542C40B1CE59AB3311915D26BC7820003134C217FCDF174A28B2F5B29BA6A4',1);
INSERT INTO "secrets" VALUES(X'01A213C2FB6871E68504F0B13DD72A19',X'01A213C2FB67750992F4AE6A46D21094','key 01a213c2-fb68-7ea0-bbf4-c050a468ffcc',X'7605303965AF4C26092E7B7B95DDF7042AABDB89B2548B6345CDA4A1A9F5A1AAC78C516AAB88AB41DB326AB130FCC46522C6502A2E270CA8C514235F855784EB7625F13FEEFDE2B8',1);
INSERT INTO "secrets" VALUES(X'01A213C2FB6872819A83837B7293E186',X'01A213C2FB67750992F4AE6A46D21094','key 01a213c2-fb68-724c-8d3e-6869ac0840e6',X'F14A5D73774AF8E27329BF9AD68E63399316917127BCF6376F914DC52D985E5266474372B782EE42B299CFC89ED95F4089E51C3B47502AF46DF4D55250F5BD07FF0063DA2B63789B',1);
CREATE TABLE sessions (
    hash blob not null primary key,
    account blob not null references accounts (id) on delete cascade,
    created integer not null,
    seen integer not null,
    sudo_until integer,
    agent text not null,
    ip text not null
) strict;
INSERT INTO "sessions" VALUES(X'8F4958DED915D807D42DE6D79980860B7CB1063C892F7B1484942748027BB28F',X'01A213C2FC3D77DCB472C36EA4D3DE8E',1795627875389,1795627875389,NULL,'Python-urllib/3.11','127.0.0.1');
INSERT INTO "sessions" VALUES(X'C54398C10E22B512BBBB03BAA60DFC14667AC8C41D200DEA55F2C2A4B17FAE06',X'01A213C2FC80707CB4FACE2E63BC6C78',1795627875456,1795627875456,NULL,'Python-urllib/3.11','127.0.0.1');
CREATE TABLE stars (
    account blob not null references accounts (id) on delete cascade,
    agent blob not null references agents (id) on delete cascade,
    at integer not null,
    primary key (account, agent)
) strict, without rowid;
CREATE TABLE stops (
    run blob not null primary key references runs (id) on delete cascade
) strict;
CREATE TABLE team_conductors (
    team blob not null primary key references teams (chat) on delete cascade,
    process blob not null references processes (id) on delete cascade
) strict;
CREATE TABLE team_log (
    team blob not null references teams (chat) on delete cascade,
    seq integer not null,
    author_key blob not null,
    prev_hash blob not null,
    body blob not null,
    signature blob not null,
    primary key (team, seq)
) strict;
INSERT INTO "team_log" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6',0,X'563A663F0527FFCF389DFBA963640EE13AFFA0844ADF8FFCF9AB7FD4A41E13EC',X'E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855',X'7B227465616D223A2230316132313363322D666366652D373033662D616531372D643638653431313637646336222C22736571223A302C2270726576223A2265336230633434323938666331633134396166626634633839393666623932343237616534316534363439623933346361343935393931623738353262383535222C226174223A313739353632373837353538322C226279223A22686F6D65222C226576656E74223A7B226B696E64223A22666F756E646564222C2263686172746572223A7B22676F616C223A2232202B2033222C227061747465726E223A7B226B696E64223A22706C616E5F616E645F64656C6567617465227D2C226C696D697473223A7B226D656D62657273223A342C2271756F72756D223A312C22726F756E6473223A312C227475726E73223A34302C22686F7073223A33322C226465707468223A322C22746F6B656E73223A313030303030302C22636F73745F6D6963726F223A353030303030302C2274696D655F6D73223A313830303030302C227475726E5F6D73223A3132303030302C22696E766974655F6D73223A32303030302C22776F726B5F6D73223A3630303030307D2C22686F6D65223A226469643A6B65793A7A364D6B6B46726B703963486D7975686974386453435671424E687A73484C635078765234663177746F6571796A4573237A364D6B6B46726B703963486D7975686974386453435671424E687A73484C635078765234663177746F6571796A4573222C2273757070726573735F72657065617473223A747275657D7D7D',X'7EAD38E9D2DAB3FB32DBCC9807B48E8B3DB26AF8C884DFE880BE3CD96AC91E9A36B5B73DA4F888BC45BCEB67DED391DB2E66E7CD42E7166AD7734BBAA78EB402');
INSERT INTO "team_log" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6',1,X'563A663F0527FFCF389DFBA963640EE13AFFA0844ADF8FFCF9AB7FD4A41E13EC',X'D26570459F1667143B5417AEBE3C7B5E5C6F61B7907D373A61D4E82BA2E74053',X'7B227465616D223A2230316132313363322D666366652D373033662D616531372D643638653431313637646336222C22736571223A312C2270726576223A2264323635373034353966313636373134336235343137616562653363376235653563366636316237393037643337336136316434653832626132653734303533222C226174223A313739353632373837353538322C226279223A226F776E6572222C226576656E74223A7B226B696E64223A22696E7669746564222C226D656D62657273223A5B7B226964656E74697479223A7B226B696E64223A226167656E74222C2261646472657373223A2240706C657875732F63616C63227D2C22726F6C6573223A5B5D7D5D7D7D',X'6E87629616194A80735181C0B3D3190FA7D448F213E4C1CEDFD773805F22C7C53879F59182693C4AE97A055C648AFF1843000DD86E86B0D4115A79BDCA309007');
INSERT INTO "team_log" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6',2,X'563A663F0527FFCF389DFBA963640EE13AFFA0844ADF8FFCF9AB7FD4A41E13EC',X'DED7B010E9096E486DBC33E1BC63FE8C7378230894DE04E4A68C4C9BF4C13E78',X'7B227465616D223A2230316132313363322D666366652D373033662D616531372D643638653431313637646336222C22736571223A322C2270726576223A2264656437623031306539303936653438366462633333653162633633666538633733373832333038393464653034653461363863346339626634633133653738222C226174223A313739353632373837353538372C226279223A7B2273656174223A307D2C226576656E74223A7B226B696E64223A226163636570746564227D7D',X'E23071D9C4CEFE69AAA854F3847BBFFA4AEE4EB6A147E72BBA1A33E0C69C216767B3B8B90A0D7B8492223C7CF710FBAC1F43CCC590CC2970EAC1105FE0E62D00');
INSERT INTO "team_log" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6',3,X'563A663F0527FFCF389DFBA963640EE13AFFA0844ADF8FFCF9AB7FD4A41E13EC',X'436C5C57F152A2E2844BFBF7B334712A2D08CBC6E36999DC5BDAAE3D9560A2C3',X'7B227465616D223A2230316132313363322D666366652D373033662D616531372D643638653431313637646336222C22736571223A332C2270726576223A2234333663356335376631353261326532383434626662663762333334373132613264303863626336653336393939646335626461616533643935363061326333222C226174223A313739353632373837353539312C226279223A7B2273656174223A307D2C226576656E74223A7B226B696E64223A2273616964222C227475726E223A312C22736179223A2261737369676E222C226D6F6465223A226E6F77222C22776F726B223A5B7B22746F223A302C2273706563223A7B227469746C65223A2254686520676F616C222C226465736372697074696F6E223A2232202B2033222C22696E70757473223A5B5D7D7D5D2C227573616765223A7B22746F6B656E735F696E223A302C22746F6B656E735F6F7574223A302C22636F73745F6D6963726F223A307D7D7D',X'BF3FCB0FE0320612D69C4EB111D122A58982D7B326BF529025050577ABB2683982E9667D4003B5DD37A568CD486DF286FB858AC7B7FE58AFABC41B7260471307');
INSERT INTO "team_log" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6',4,X'563A663F0527FFCF389DFBA963640EE13AFFA0844ADF8FFCF9AB7FD4A41E13EC',X'6A855762C0A467540680E76586C90BFA7B24B73F204AACF302CE88FFDDC08904',X'7B227465616D223A2230316132313363322D666366652D373033662D616531372D643638653431313637646336222C22736571223A342C2270726576223A2236613835353736326330613436373534303638306537363538366339306266613762323462373366323034616163663330326365383866666464633038393034222C226174223A313739353632373837353539392C226279223A7B2273656174223A307D2C226576656E74223A7B226B696E64223A2273746172746564222C22776F726B223A307D7D',X'1DD5B6D583D9B0E04A5A9F2505F688AD69EE8802D38197D68BF24DA9479999AFCFB4F1A47E43AC17AD90628703DC98CDA7213E2CCA029111666BA69CDF288A07');
INSERT INTO "team_log" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6',5,X'563A663F0527FFCF389DFBA963640EE13AFFA0844ADF8FFCF9AB7FD4A41E13EC',X'6AF4E2890435C45AA371482C6F664E078FEEF385AF8864B7ADF68D091ED673C1',X'7B227465616D223A2230316132313363322D666366652D373033662D616531372D643638653431313637646336222C22736571223A352C2270726576223A2236616634653238393034333563343561613337313438326336663636346530373866656566333835616638383634623761646636386430393165643637336331222C226174223A313739353632373837353630332C226279223A7B2273656174223A307D2C226576656E74223A7B226B696E64223A227265706F72746564222C22776F726B223A302C22656E64223A22636F6D706C65746564222C2274657874223A226032202B203360203D202A2A352A2A222C227573616765223A7B22746F6B656E735F696E223A302C22746F6B656E735F6F7574223A302C22636F73745F6D6963726F223A307D2C22686F7073223A307D7D',X'BD6BD960C700A259FAFA160FB849C7406C8753769019FCB7C2FE7F1F1FCC5FBE1A35CCE79E2968F964C8BF61D09995ED3DCDC6DA0510904776F77CCD9EB9F305');
INSERT INTO "team_log" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6',6,X'563A663F0527FFCF389DFBA963640EE13AFFA0844ADF8FFCF9AB7FD4A41E13EC',X'B11B30F00BD6B7DC0EAF0C860850DB780DB5C58DFDBA2D4706E9B272DB1E6F04',X'7B227465616D223A2230316132313363322D666366652D373033662D616531372D643638653431313637646336222C22736571223A362C2270726576223A2262313162333066303062643662376463306561663063383630383530646237383064623563353864666462613264343730366539623237326462316536663034222C226174223A313739353632373837353630372C226279223A7B2273656174223A307D2C226576656E74223A7B226B696E64223A2273616964222C227475726E223A322C22736179223A22636F6E636C756465222C2274657874223A226032202B203360203D202A2A352A2A222C227573616765223A7B22746F6B656E735F696E223A302C22746F6B656E735F6F7574223A302C22636F73745F6D6963726F223A307D7D7D',X'0391F5342ACC5FA1AC5E416A0B7D80E667F924BD4D7A97FD36B99FACE239B8196F363F25F970FC0367F511DCB6DBB68BAF967130EEF452CF7C4F347CC2A1B80C');
CREATE TABLE team_shares (
    team blob not null primary key references teams (chat) on delete cascade,
    hash blob not null unique,
    created integer not null
) strict;
INSERT INTO "team_shares" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6',X'EF1511C8D45191B28123ACC1E33B0CDFD88B2C5D0B113B9765989BFF0EE717E1',1795627896235);
CREATE TABLE teams (
    chat blob not null primary key references chats (id) on delete cascade,
    goal text not null,
    pattern text not null,
    home_hub blob not null references hubs (id),
    parent blob references teams (chat) on delete set null,
    depth_left integer not null,
    limits text not null,
    state text not null check (state in ('forming', 'working', 'closed', 'failed', 'cancelled', 'lost')),
    deadline integer not null
, served_until integer) strict;
INSERT INTO "teams" VALUES(X'01A213C2FCFE703FAE17D68E41167DC6','2 + 3','plan_and_delegate',X'00000000000000000000000000000000',NULL,2,'{"members":4,"quorum":1,"rounds":1,"turns":40,"hops":32,"depth":2,"tokens":1000000,"cost_micro":5000000,"time_ms":1800000,"turn_ms":120000,"invite_ms":20000,"work_ms":600000}','closed',1795629705582,NULL);
CREATE TABLE text_log (
    process blob not null,
    n integer not null,
    message blob not null,
    part integer not null,
    start integer not null,
    body blob not null,
    primary key (process, n)
) strict, without rowid;
CREATE TABLE tokens (
    id blob not null primary key,
    hash blob not null unique,
    account blob not null references accounts (id) on delete cascade,
    name text not null,
    scopes text not null,
    audience text not null,
    created integer not null,
    expires integer not null,
    used integer
) strict;
INSERT INTO "tokens" VALUES(X'01A213C2FC89723586DC07F357FB1205',X'9F551101DF8DB238582775D65F1AAD57FE806023875A5A884CF65925A874103E',X'01A213C2FC80707CB4FACE2E63BC6C78','report','["read","chat"]','http://127.0.0.1:45593/',1795627875465,4102444800000,NULL);
CREATE TABLE versions (
    id blob not null primary key,
    agent blob not null references agents (id),
    semver text not null,
    card blob not null references cards (sha256),
    connector text not null,
    secret blob references secrets (id),
    created integer not null,
    yanked_reason text,
    unique (agent, semver)
) strict;
INSERT INTO "versions" VALUES(X'01A213C2FB687902AE8F3256C78CC939',X'01A213C2FB687252A9FBA928579700FF','1.0.0',X'A881C0738B254C37E579BD0442E729A475D74A21377DED9D81AF2ADACDBDF38B','{"kind":"builtin","program":"calc"}',NULL,1795627875176,NULL);
INSERT INTO "versions" VALUES(X'01A213C2FB68757EA37ED8A1C7824F35',X'01A213C2FB6873E387CC3E9DD1657843','1.0.0',X'3D9170FE62DBCB6259C284680E6FEED4724AEB2C0087FFFBC4D6556D395BCC7D','{"kind":"builtin","program":"guide"}',NULL,1795627875176,NULL);
CREATE TABLE vouched_origins (
    origin text not null primary key,
    since integer not null
) strict;
CREATE INDEX namespace_members_by_account on namespace_members (account);
CREATE INDEX credentials_by_account on credentials (account, kind);
CREATE INDEX sessions_by_account on sessions (account);
CREATE INDEX tokens_by_account on tokens (account);
CREATE INDEX invites_by_account on invites (invited_by);
CREATE INDEX limits_used_by_age on limits_used (since);
CREATE INDEX audit_by_time on audit (at);
CREATE INDEX audit_by_target on audit (target, at);
CREATE INDEX secrets_by_namespace on secrets (namespace);
CREATE INDEX agents_by_namespace on agents (namespace);
CREATE INDEX keys_by_agent on keys (agent);
CREATE INDEX keys_by_hub on keys (hub);
CREATE UNIQUE INDEX principals_anonymous on principals (kind) where kind = 'anonymous';
CREATE INDEX grants_by_principal on grants (principal);
CREATE INDEX agent_secrets_by_account on agent_secrets (account);
CREATE INDEX listings_by_expiry on listings (expires);
CREATE INDEX drafts_by_account on drafts (account);
CREATE INDEX drafts_by_expiry on drafts (expires);
CREATE INDEX chats_by_expiry on chats (keep_until) where keep_until is not null;
CREATE INDEX contexts_by_chat on contexts (chat);
CREATE INDEX teams_by_parent on teams (parent);
CREATE INDEX teams_by_deadline on teams (deadline);
CREATE INDEX assignments_by_team on assignments (team);
CREATE INDEX runs_by_chat on runs (chat, queued);
CREATE INDEX runs_by_agent on runs (agent, queued);
CREATE INDEX runs_by_caller on runs (caller, queued);
CREATE INDEX runs_by_process on runs (process)
    where state in ('queued', 'working', 'input_required', 'auth_required');
CREATE INDEX approvals_by_run on approvals (run);
CREATE INDEX messages_by_parent on messages (parent);
CREATE INDEX messages_by_run on messages (run);
CREATE INDEX messages_open on messages (chat) where state = 'open';
CREATE INDEX parts_by_blob on parts (blob) where blob is not null;
CREATE INDEX members_by_principal on members (principal);
CREATE INDEX members_by_leaf on members (leaf);
CREATE INDEX jobs_by_due on jobs (due) where not failed;
CREATE INDEX outbox_by_due on outbox (due);
CREATE INDEX accounts_by_erase_at on accounts (erase_at) where erase_at is not null;
CREATE INDEX outbox_by_target on outbox (target, id);
CREATE INDEX oauth_grants_by_account on oauth_grants (account);
CREATE INDEX oauth_grants_by_spent on oauth_grants (spent) where spent is not null;
CREATE INDEX oauth_tokens_by_grant on oauth_tokens (grant_id);
CREATE INDEX histories_by_question on histories (question);
CREATE INDEX agents_by_name on agents (hub, name_folded);
CREATE INDEX stars_by_agent on stars (agent);
CREATE UNIQUE INDEX hubs_by_peer on hubs (peer);
CREATE INDEX listings_by_hash on listings (hash);
CREATE INDEX listings_by_card on listings (card);
CREATE INDEX versions_by_card on versions (card);
CREATE INDEX hub_addresses_by_seen on hub_addresses (seen);
CREATE INDEX hub_announcements_by_expiry on hub_announcements (expires);
CREATE INDEX hub_nonces_by_expiry on hub_nonces (expires);
CREATE INDEX listed_rules_by_subject on listed_rules (subject, list);
CREATE INDEX runs_by_parent on runs (parent) where parent is not null;
CREATE INDEX runs_by_assignment on runs (assignment) where assignment is not null;
CREATE INDEX chats_by_creator on chats (creator);
CREATE INDEX push_by_caller on push (caller);
COMMIT;
