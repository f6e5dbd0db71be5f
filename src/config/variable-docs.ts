import type { Environment } from './environment.ts'

/**
 * What each variable means, in Markdown: `npm run docs` writes docs/configuration.md from it. Where a variable has no
 * default, the text says what its absence does.
 */
export const VARIABLE_DOCS: Readonly<Record<keyof Environment, string>> = {
  NODE_ENV:
    '`production`, in any case: always JSON logs, Redis is required, demo mode is refused, and start-up warns about unencrypted keys and unhashed tokens',
  HOST: 'address to listen on, or a name: its first address; the container image sets `0.0.0.0`',
  PORT: 'port to listen on',
  MANAGEMENT_PORT:
    'port of a listener of its own for `/actuator/prometheus`, `/actuator/info` and `/openapi.json`, which `PORT` then answers with 404; must differ from `PORT`. Unset: `PORT` answers them. See [operations](operations.md#the-management-listener)',
  MANAGEMENT_HOST: 'address to listen on at `MANAGEMENT_PORT`; unset: that of `HOST`',
  WORKERS:
    'processes that serve at the same port, at most 128, for one machine with several cores. More than one need Redis. See [operations](operations.md#workers)',
  TRUSTED_PROXIES:
    'addresses and CIDR blocks, `10.0.0.5,192.168.0.0/16`, whose `X-Forwarded-For` is trusted; unset: none. See [operations](operations.md#trusted-proxies)',
  TRUST_REQUEST_ID:
    '`true`: the `X-Request-Id` of a request that comes by `TRUSTED_PROXIES` is the id of the request. Only for proxies that set it themselves, whatever a client sends; see [operations](operations.md#the-id-of-a-request)',
  SHUTDOWN_DELAY:
    'seconds after `SIGTERM` in which the service still serves requests but is not ready; at most 300. Unset: 7, with storage in memory 0. See [operations](operations.md#drain)',
  KEEP_ALIVE_TIMEOUT:
    'seconds that a connection may wait for its next request, at most 3600; set it longer than the balancer keeps idle connections',
  MAX_CONNECTIONS: 'concurrent connections of a process; further ones are closed at once and logged',
  MAX_CONNECTIONS_PER_PEER:
    'concurrent connections of one address with a process, trusted proxies excepted; further ones are closed at once and logged. An IPv6 /64 network counts as one address. Unset: a quarter of `MAX_CONNECTIONS`. See [operations](operations.md#limits)',
  REDIS_KEY_PREFIX: 'prefix of every key; no braces, no white space',
  REDIS_WAIT_REPLICAS:
    'how many Redis replicas must have a code, token or revocation before the client gets the response, at most 100; see [operations](operations.md#when-redis-fails)',
  TOKENS_AT_REST:
    '`hashed`: keys and records hold the SHA-256 of the secret part of codes and tokens, so a dump of Redis contains no usable code or token. A change invalidates all existing codes and tokens. In production, `plain` is a warning at start',
  LOG_LEVEL: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
  REQUEST_LOG:
    '`all`: each request has a line in the log. `failed`: only those whose answer has a status of 400 or more, or was broken off, where the proxy logs the others',
  REDIS_URL:
    '`redis://`, `rediss://` (TLS) or `unix://`, with the database as the number at its end: `redis://host:6379/1`, `unix:///run/redis.sock?db=1`; special characters in the password are percent-encoded, and no other parameter or fragment is accepted; unset: storage in memory, for a single process, lost at exit',
  REDIS_CLUSTER_NODES: '`host:port,host:port` instead of a URL: Redis Cluster',
  REDIS_SENTINELS:
    '`host:port,host:port` instead of a URL: Redis Sentinel. Name all Sentinels; redmint asks each (`SENTINEL MASTER`, `GET-MASTER-ADDR-BY-NAME` and `SENTINELS`) and subscribes to `+switch-master`',
  REDIS_SENTINEL_NAME: 'the name of the master that the Sentinels watch',
  REDIS_USERNAME: 'user name for a Cluster or for the master behind Sentinels; a URL contains its own',
  REDIS_PASSWORD: 'password for a Cluster or for the master behind Sentinels; a URL contains its own',
  REDIS_SENTINEL_PASSWORD: 'password of the Sentinels themselves',
  REDIS_TLS:
    '`true`: use TLS to every node of a Cluster, to the Sentinels and to the master. Certificates must be for the names or addresses in these variables, and for those that Cluster and Sentinels report',
  ISSUER:
    'the base address: `https://auth.example.com`, or with a [path](issuer-path.md) `https://example.com/auth`, without a slash at its end; `http` on loopback only. Every URL that redmint publishes is derived from it, never from a request header. Unset: `http://localhost:$PORT`',
  PROXY_STRIPS_PATH:
    '`true`: the proxy [removes the path](issuer-path.md#a-proxy-that-removes-the-path) of `ISSUER` from requests',
  WEBFINGER_HOSTS:
    'hosts whose addresses [WebFinger](webfinger.md) answers with the issuer, separated by commas; unset: there is no WebFinger',
  FORWARD_AUTH_CLIENTS:
    'the clients that stand for applications behind a proxy, by client_id, separated by commas: [forward authentication](forward-auth.md); unset: there is none',
  ACCESS_TOKEN_FORMAT:
    "`opaque` (validated by a look-up) or `jwt` (validated locally); a client's field `access_token_format` overrides it. Both formats are always accepted",
  ACCESS_TOKEN_ALG:
    "signature algorithm of JWT access tokens: `ES256`, `RS256`, `PS256` or `EdDSA`; a client's field `access_token_signed_response_alg` overrides it",
  ID_TOKEN_ALG: 'signature algorithm of id_tokens; the same values',
  SIGNING_ALGS:
    'the algorithms whose keys are published, separated by commas; tokens are signed with these only. See [verifying tokens](resource-servers.md#which-keys-are-published)',
  CODE_TTL: 'lifetime of an authorization code in seconds, at most 600',
  ACCESS_TOKEN_TTL:
    "lifetime of an access token in seconds, at most a day; a client's field `access_token_ttl` overrides it",
  ID_TOKEN_TTL:
    "lifetime of an id_token in seconds, at most a day; a client's field `id_token_ttl` overrides it",
  REFRESH_TOKEN_TTL:
    "seconds after the redemption of the code in which the tokens of a sign-in can be refreshed; at most 366 days. A client's field `refresh_token_ttl` overrides it; a change applies to new sign-ins",
  EXCHANGED_TOKEN_TTL:
    'lifetime in seconds of tokens that clients get by [exchange](acting.md), at most 3600; none outlives the token that it was exchanged for',
  REFRESH_TOKEN_IDLE_TTL: 'seconds after which an unused refresh token expires; unset: with its family',
  REFRESH_RETRY_WINDOW:
    'seconds in which a spent refresh token gets the same answer again while its successor is unused, at most 600; `0`: any second use revokes the family',
  BEARER_CHECK_REVOCATION:
    '`true`: below `/api/`, check in Redis whether a JWT was revoked; `/userinfo` and introspection always check',
  DPOP_NONCE:
    '`required`: a [DPoP](dpop.md) proof needs a nonce of this service, which the client gets by a first request that is refused. A nonce that a proof has is always checked',
  CLIENT_AUTH_FAILURES:
    'how often a client may fail to authenticate from one address within a window; further attempts get 429 until the window ends. See [operations](operations.md#guesses-at-secrets)',
  CLIENT_AUTH_WINDOW: 'length of the window in seconds, from the first failure; at most a day',
  SIGN_IN_FAILURES:
    'how many sign-ins as one user from one address may fail within a window, and how many wrong user codes of devices one user may enter; ten times as many sign-ins and user codes of all users at one address. See [operations](operations.md#passwords-and-sign-in) and [devices](device.md#who-attacks)',
  SIGN_IN_WINDOW: 'length of the window in seconds, from the first failure; at most a day',
  SIGN_IN_TTL: 'seconds that a pending request waits for the user; at most a day',
  DEVICE_CODE_TTL:
    'lifetime of a device code and its user code in seconds, at most 3600. See [devices](device.md)',
  DEVICE_INTERVAL: 'seconds that a device waits between two token requests, at most 60',
  DEVICE_REQUESTS:
    'how many device codes the public clients at one address get in `DEVICE_CODE_TTL`, at most 1000; further requests get 429. Each waiting device needs 500 bytes of Redis, or 1.5 kB with [details](details.md), of which more than 1 kB count as several devices; 3,328 times this number can wait',
  ASK_PEOPLE:
    '`on`: clients whose record says so [ask people](asks.md) who are not there, and people answer on their account page; `off`: no client does',
  ASK_TTL:
    'seconds that a [question](asks.md) waits for an answer if the client does not say how many, at most 600',
  PAR_TTL: 'seconds in which a [pushed request](pushed-requests.md) can be used, at most 599',
  PAR_REQUESTS:
    'how many requests the public clients at one address, and the clients there that describe themselves, push in `PAR_TTL` and `SIGN_IN_TTL` together, at most 100000; further ones get 429. 3,328 times this number can be kept, with at most 5.5 kB of Redis each; one with longer [details](details.md) counts as several',
  REQUIRE_PUSHED_AUTHORIZATION_REQUESTS: '`true`: every client must push its authorization requests',
  EXPLAIN_TTL:
    'seconds that the [explanation](explain.md) of a refusal, and a step of a connection, is kept; at most 31 days',
  EXPLAIN_MAX:
    'how many [explanations](explain.md) of refusals, and as many steps of connections, are kept in all, at most 100000, with at most 4 kB of Redis each; `0`: none',
  SESSION_TTL: 'lifetime of a session in seconds; at most 366 days',
  SESSION_IDLE_TTL: 'seconds after which an unused session ends',
  SESSION_PERSISTENT:
    '`true`: a user stays signed in when the browser is closed, until the session ends: the session cookie has a `Max-Age` of `SESSION_TTL`; `choice`: only those who tick a box of the sign-in page; `false`: nobody. See [sign-in](sign-in.md#the-session)',
  CHANGE_PASSWORD_URL:
    'where users change their password: an https URL, or http on loopback. `/.well-known/change-password` redirects to it, so that password managers find it; unset: the account page, or 404 where that is off',
  PASSWORD_MIN_LENGTH:
    'characters that a new password has at least, 8 to 64; 8 are enough for a user who has a [second step](second-step.md). Those that are set already stay usable. It is for the commands: set it where they run. See [passwords](operations.md#passwords)',
  ACCOUNT_PAGE:
    '`on`: people have a page of their [account](account-page.md) at `/account`, where they change their password and see where they are signed in; `off`: there is none',
  ACCOUNT_DELETION: '`on`: people can delete their account on that page; `off`: only operators can',
  ACCOUNT_FIELDS:
    'what people change of their [profile](account-page.md#the-profile) on that page: some of `name`, `given_name`, `family_name`, `nickname` and `locale`, separated by commas; `none`: nothing',
  SIGN_IN:
    'how people [sign in](ways-to-sign-in.md): `password`, and passkeys with it; `passkeys`: with a passkey only, and nobody has a password; `providers`: also by each [provider](providers.md) that has a record; `provider:<name>`: only by this one, without a page of redmint; `directory`: with the name and password of a [directory](directory.md), and with no password of redmint; `password,directory`: with either',
  USERNAME_FIRST:
    'whether the sign-in page asks for the username before the rest ([two pages](ways-to-sign-in.md#the-username-first)): `auto`: where a provider has `email_domains`, so that an address leads to it; `on`, `off`',
  LOGIN_URL:
    'the address of the sign-in page of an application of yours: people [sign in there](own-login.md), and redmint asks for no password. An https URL, or http on loopback. It turns on the admin API, by which the application answers, and turns passkeys off',
  CONSENT_URL:
    'the address of the page of an application of yours that [asks for consent](own-login.md#consent) in place of redmint. As `LOGIN_URL` otherwise; either can be set without the other',
  LDAP_URL:
    'the [directory](directory.md): `ldaps://ldap.example.com`, or `ldap://…` with StartTLS; without user, path and query. Needed with a `SIGN_IN` that has `directory`',
  LDAP_TLS:
    '`required`: a directory of `ldap:` is asked only after StartTLS, with a certificate that is valid for its name; `off`: without TLS, for a directory on loopback only',
  LDAP_CA_FILE:
    'a file with the authorities of its certificate, in PEM: no others count then. Unset: those of Node.js and `NODE_EXTRA_CA_CERTS`',
  LDAP_BASE_DN: 'below which entry people and groups are looked for: `dc=example,dc=com`',
  LDAP_BIND_DN: 'the entry as which redmint looks for people; unset: anonymously',
  LDAP_BIND_PASSWORD: 'its password',
  LDAP_USER_FILTER:
    'finds the entry of a person (RFC 4515), with `{username}` for the name that was typed. For Active Directory: `(&(objectClass=user)(sAMAccountName={username}))`',
  LDAP_USERNAME_ATTRIBUTE:
    'the attribute with the username that a new account gets. For Active Directory: `sAMAccountName`',
  LDAP_ID_ATTRIBUTE:
    'the attribute by which a person stays the same when the name changes. For Active Directory: `objectGUID`',
  LDAP_CLAIMS: 'which attribute each claim is read from, at each sign-in: `claim=attribute;claim=attribute`',
  LDAP_EMAIL_VERIFIED:
    '`true`: an address in the directory counts as confirmed, and follows a change there; for directories in which only administrators write addresses',
  LDAP_GROUP_ATTRIBUTE:
    'the attribute of a person with the DNs of the groups: `memberOf`; unset: groups are not read from it',
  LDAP_GROUP_FILTER:
    'finds the groups of a person, with `{dn}` and `{username}`: `(&(objectClass=groupOfNames)(member={dn}))`; unset: groups are not looked for',
  LDAP_GROUPS:
    'which groups count, and what they are called here: `admins=cn=admins,ou=groups,dc=example,dc=com;staff=employees`; unset: all, by their `cn`',
  LDAP_CREATES_USERS:
    '`true`: who comes from the directory for the first time gets an account; `false`: only who is [linked](directory.md#accounts)',
  SIGN_UP:
    '`open`: anybody can [create an account](invitations.md#open-sign-up) at `/sign-up` with an e-mail address, which needs `SMTP_URL`; `off`: only operators add and invite people',
  PASSKEYS:
    '`on`: people can sign in with [passkeys](passkeys.md), and make them; `off`: there are none. An issuer whose host is an IP address has none',
  PASSKEYS_MOVED_FROM:
    'the host for which the passkeys were made, if the issuer has [another one](passkeys.md#another-host) now: accepts that none of them can be used any more',
  SECOND_FACTOR:
    '`optional`: who has set up a [second step](second-step.md) is asked for it after the password; `required`: everybody is, and whoever has none sets it up while signing in; `off`: there is none',
  TRUSTED_BROWSER_DAYS:
    'days for which a browser can be [trusted](second-step.md#trusted-browsers), so that only the password is asked for there, 0 to 90; `0`: not at all',
  CONSENT_TTL: 'seconds that consent is remembered; at most 3660 days',
  ARGON2_MEMORY: 'memory of a password hash (argon2id) in KiB, 8192 to 4194304',
  ARGON2_ITERATIONS: 'passes over that memory; at most 100',
  ARGON2_PARALLELISM: 'lanes, 1 to 16; they are computed one after the other',
  ARGON2_CONCURRENCY:
    'passwords that are hashed at the same time, at most 64; unset: half of the cores divided by `WORKERS`, at least 1 and at most 3',
  PAIRWISE_SALT:
    "secret from which pairwise subs are computed, 16 characters or more: `openssl rand -base64 32`. Required if a client's `subject_type` is `pairwise`. A change gives every user of such a client a new sub",
  SCOPE_TEXTS:
    'descriptions of scopes for the consent page, as JSON: `{"api.read": {"en": "Read your reports", "de": "Ihre Berichte lesen"}}`. A scope without a text in the language of the page uses its first text; a scope without any text is shown by its name',
  SCOPE_CLAIMS:
    'which scope releases which [custom claims](openid.md#custom-claims) of users: `groups=groups,roles;hr=employee_id`',
  GROUPS_CLAIM:
    'the [custom claim](openid.md#custom-claims) of users that names their groups, for clients that [only some groups may use](access-by-group.md)',
  CLIENT_REGISTRATION:
    'who may [register a client](registration.md) by RFC 7591: `off`: nobody; `invitation`: clients with an invitation of `redmint client invite`; `open`: anybody',
  CLIENT_REGISTRATION_TTL:
    'seconds after which a client that registered itself lapses if it gets no tokens, at most 3660 days; never less than twice the lifetime of its refresh tokens',
  CLIENT_REGISTRATIONS: 'clients that may register without an invitation in an hour, at most 100000',
  CLIENT_REGISTRATIONS_PER_ADDRESS: 'the same, from one address; an IPv6 /64 network counts as one',
  SELF_REGISTERED_SCOPES:
    'scopes that a client which registers itself may obtain, separated by spaces: its users are asked for those that it wants. Add the scopes of your own APIs here',
  TRACE_CONTEXT:
    'whose header `traceparent` counts, in logs and [traces](tracing.md): `proxy`, of requests that come by `TRUSTED_PROXIES`; `all`, of everybody, who can then demand that requests are sampled; `off`, of nobody',
  ADMIN_API:
    '`on`: serve the [admin API](admin-api.md) at `/admin/v1`, at `MANAGEMENT_PORT` if that is set; `off`: there is none. Unset: `on` in demo mode on loopback, otherwise `off`',
  CONSOLE:
    '`on`: serve the [console for operators](console.md) at `/console`, at `MANAGEMENT_PORT` if that is set, which needs `ADMIN_API`; `off`: there is none. Unset: `on` in demo mode on loopback without `MANAGEMENT_PORT`, otherwise `off`',
  CONSOLE_ORIGIN:
    'the origin at which browsers reach the console, if that is not the issuer: `https://console.example.com`, or `http://localhost:9000`. Needed with `MANAGEMENT_PORT`',
  BACKCHANNEL_ALLOW_PRIVATE:
    '`true`: send logout tokens, security event tokens and notices of [answers](asks.md) also to private, loopback and link-local addresses',
  SHARED_SIGNALS:
    '`on`: clients with the scope `ssf.manage` are told of [what happens to people who used them](signals.md) (Shared Signals Framework). It needs `AUDIT=on`',
  CLIENT_ID_METADATA:
    '`on`: a client_id may be the https URL of a [document that describes the client](client-id-metadata.md); or the hosts whose documents count, `claude.ai,*.example.com`',
  CLIENT_ID_METADATA_DENY: 'hosts whose documents never count, `evil.example,*.evil.example`',
  RECEIVE_SIGNALS:
    '`on`: [signals](signals-received.md) of providers and trusted issuers whose record has `signals` `true` end what was signed in by them',
  GLOBAL_TOKEN_REVOCATION:
    '`on`: clients with the scope `global_token_revocation` [end everything of a person](signals-received.md#global-token-revocation)',
  TRUSTED_ISSUERS:
    '`true`: accept assertions of [trusted issuers](trusted-issuers.md) as grants and client authentication',
  STATUS_LISTS:
    '`on`: JWT access tokens of clients and resources with `status_list` have a bit in a [status list](status-list.md), which says within 30 seconds that one was ended',
  ISSUER_PRIVATE_HOSTS:
    'hosts whose key sets may be fetched from private addresses, for trusted issuers and for [clients with keys](client-keys.md#keys): `kubernetes.default.svc,idp.internal:8443`',
  CLIENT_CERTIFICATE_SECRET:
    'what the proxy sends in `Client-Cert-Secret` with [client certificates](mutual-tls.md), 32 to 200 characters: `openssl rand -base64 32`. Needs `TRUSTED_PROXIES`; unset: there are no client certificates',
  MTLS_ORIGIN:
    'the https origin at which the proxy asks for client certificates, if it is not the issuer: `https://mtls.auth.example.com`',
  DEMO: '`true`: the `subject` shortcut at the authorization endpoint, with which anyone signs in as anyone, the demo clients and user, the API browser at `/docs`, and all mails at `/demo/mail`. It is refused if `ISSUER` or `HOST` is not on loopback, and each request is refused (421) that names another host or that a proxy or tunnel passed on; `private` allows it with an issuer that only a private network knows, such as `http://auth:3000`, and `public` for a public demonstration, both without `/demo/mail`. All are refused with `NODE_ENV=production`. Unset: `true` with storage in memory and with `ISSUER` and `HOST` on loopback, otherwise `false`',
  WEB_PUSH_PRIVATE_KEY:
    'makes [notices in browsers](asks.md#notices-in-browsers) possible with `ASK_PEOPLE`: the private key by which push services know this server (VAPID), 32 bytes in base64, `openssl rand -base64 32`. A change ends what browsers allowed',
  WEB_PUSH_CONTACT:
    'whom push services ask about these notices: `mailto:` and an address, or an https URL. Needed with `WEB_PUSH_PRIVATE_KEY`',
  KEY_ENCRYPTION_KEY:
    'encrypts the private signing keys in storage: 32 bytes in base64, `openssl rand -base64 32`. In production, a start without it is a warning',
  KEY_ROTATION_DAYS:
    'days between rotations of the signing keys; see [operations](operations.md#signing-keys)',
  SMTP_URL:
    'the server that [mail](mail.md) is handed to: `smtps://user:password@host:465`, or `smtp://…:587` with STARTTLS; special characters in the password are percent-encoded. Unset: there is no mail, and everything works without it',
  SMTP_TLS:
    '`required`: mail goes to an `smtp:` server only after STARTTLS, with a certificate that is valid for its name; `off`: without TLS, for a server on the same host',
  SMTP_NAME:
    'what redmint calls itself to the SMTP server (RFC 5321 §4.1.1.1): a full host name, or an address in brackets such as `[192.0.2.1]`. Unset: the host of `ISSUER` if it is a full name, otherwise that of the machine',
  MAIL_FROM:
    'the sender of mail: `login@example.com` or `Example <login@example.com>`. Needed with `SMTP_URL`',
  AUDIT:
    '`on`: the [audit trail](audit.md) keeps who changed what, and who signed in; `off`: there is none. Unset: `on` in demo mode with storage in memory, otherwise `off`',
  AUDIT_MAX:
    'about how many entries the audit trail has at most: the oldest are deleted. A fifth is for [what is repeated](audit.md#what-is-counted-together)',
  AUDIT_DAYS: 'after how many days entries of the audit trail are deleted',
  AUDIT_KEY:
    'signs and chains the entries of the audit trail, so that `redmint audit verify` finds what was changed in Redis: 32 bytes in base64, `openssl rand -base64 32`',
  AUDIT_WEBHOOK_URL:
    'entries of the audit trail are [posted](audit.md#webhook) there: an https URL, or http on loopback, without a fragment. It may be in a private network',
  AUDIT_WEBHOOK_SECRET:
    'signs these messages by Standard Webhooks: `whsec_` and 24 to 64 bytes in base64, as from `echo whsec_$(openssl rand -base64 32)`. Needed with `AUDIT_WEBHOOK_URL`',
  SERVICE_NAME:
    'name of the service on the pages; at most 60 characters. Demo mode has a name, a colour, links and a text for `api.read` of its own, which each of these variables replaces',
  LOGO_URL:
    "a picture instead of the name: an https URL, or a path on the issuer's origin such as `/logo.svg`, served by the proxy in front. The Content-Security-Policy of the pages allows pictures from that origin only. It should be visible on white and on black",
  ACCENT_COLOR:
    '`#rrggbb`: buttons, links and the focus ring. The text of a button is black or white, whichever has the higher contrast; links and focus rings are darkened or lightened if necessary',
  STYLE_SHEET:
    "a style sheet that the pages have after their own: a path on the issuer's origin such as `/brand.css`, served by the proxy in front. [Pages](pages.md#a-style-sheet) has the class names that stay",
  LANGUAGES_DIR:
    'a folder with files such as `fr.json`, that change texts of pages and mails or [add a language](pages.md#languages)',
  HELP_URL:
    "help, in the footer of every page and for users who are locked out. As all links: an https URL, or a path on the issuer's origin; this one may also be an address such as `mailto:help@example.com`",
  SIGN_UP_URL: 'where users create an account: "Create an account" on the sign-in page',
  FORGOT_PASSWORD_URL: 'where users reset their password: "Forgot password?" on the sign-in page',
  PRIVACY_URL: 'the privacy policy, in the footer of every page',
  TERMS_URL: 'the terms of service, in the footer',
  IMPRINT_URL: 'the imprint, in the footer',
}
