import {
  ACCESS_TOKEN_FORMATS,
  MAX_REFRESH_TOKEN_TTL,
  MAX_SIGNED_TOKEN_TTL,
} from '../../config/environment.ts'
import { isHttpsUrl } from '../../config/page-links.ts'
import { SIGNING_ALGS } from '../../core/algs.ts'
import {
  boolean,
  claims,
  milliseconds,
  names,
  oneOf,
  seconds,
  text,
  uris,
  words,
} from '../../core/field-kinds.ts'
import type { FieldTable } from '../../core/field-table.ts'
import { MANAGED_BY } from '../../core/managed-by.ts'
import { isScopeToken } from '../../core/scope.ts'
import { isLoopbackHost, isUrl } from '../../core/uri.ts'
import { visibleNameProblem } from '../../core/visible-text.ts'
import { detailTypeProblem } from '../../details/detail-type-fields.ts'
import { conditionProblem } from '../../issuers/conditions.ts'
import { issuerProblem } from '../../issuers/issuer-url.ts'
import { patternProblem } from '../../issuers/pattern.ts'
import { digestProblem, instantProblem } from './client-secret.ts'
import { FORWARD_AUTH_FIELDS } from './forward-auth-fields.ts'
import {
  CIBA,
  DEFAULT_GRANT_TYPE,
  DEVICE_CODE,
  GRANT_TYPE_NAMES,
  JWT_BEARER,
  TOKEN_EXCHANGE,
} from './grant-types.ts'
import { KEY_FIELDS } from './key-fields.ts'
import { CERTIFICATE_METHODS, MTLS_FIELDS } from './mtls-fields.ts'
import { PREVIEW_FIELDS } from './preview-fields.ts'
import { PROFILE_FIELDS } from './profiles.ts'
import { APPLICATION_TYPES, redirectUriProblem } from './redirect-uri.ts'
import { REQUEST_FIELDS } from './request-fields.ts'
import { SIGNED_ANSWER_FIELDS } from './signed-answer-fields.ts'

const GRANT_TYPES_TEXT = GRANT_TYPE_NAMES.map((name) => `\`${name}\``).join(', ')

/** The authentication methods by a secret, or by a key that signs assertions (RFC 7591 §2, RFC 7523 §2.2). */
export const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const

/** What a client may exchange tokens for: always as the one who acts, or only its own for narrower ones. */
const EXCHANGE_MODES = ['delegate', 'narrow'] as const

/** When a client gets refresh tokens. */
const REFRESH_TOKENS = ['always', 'offline_access', 'never'] as const

const MAX_SHORT_LENGTH = 200

/** The subject identifier types (OpenID Connect Core §8). */
const SUBJECT_TYPES = ['public', 'pairwise'] as const

/**
 * All fields of a client record. The types Client and ClientDefinition, parsing, formatting, the command-line flags,
 * imports and lint use this table.
 */
export const CLIENT_FIELDS = {
  client_id: text({
    label: 'Client id',
    required: true,
    setBy: '<client_id>',
    docs: 'the same as in the key; may be missing',
  }),
  client_name: text({
    label: 'Name',
    required: true,
    check: visibleNameProblem,
    flag: {
      name: 'name',
      value: 'text',
      help: 'the name that users see (default: the client_id)',
      clear: 'reset the name to the client_id',
    },
    docs: 'the name that users see; default: the client_id',
  }),
  /** Its home page (RFC 7591 §2, as the next three fields). Pages with no other way back to the client link to it. */
  client_uri: text({
    label: 'Home page',
    check: webUriProblem,
    flag: {
      group: 'pages',
      value: 'uri',
      help: 'its home page, an https URL, for [links back to it](pages.md)',
      clear: 'link back to nothing',
    },
    docs: 'its home page, an https URL: the pages of a finished logout and of a sign-in that is no longer open link to it',
  }),
  /** Where others begin a sign-in at it (OpenID Connect Core §4). */
  initiate_login_uri: text({
    label: 'Where others begin a sign-in',
    check: initiateLoginProblem,
    flag: {
      group: 'pages',
      value: 'uri',
      help: 'where others begin a sign-in at it, an https URL, for people who come by an [invitation](invitations.md)',
      clear: 'let nobody else begin a sign-in',
    },
    docs: 'where others begin a sign-in at it, an https URL or one on loopback: an [invitation](invitations.md) leads there, with `iss` (OpenID Connect Core §4)',
  }),
  logo_uri: text({
    label: 'Logo',
    check: webUriProblem,
    flag: {
      group: 'pages',
      value: 'uri',
      help: 'its logo on the consent page, an https URL',
      clear: 'show no logo',
    },
    docs: 'its logo on the consent page, an https URL; browsers fetch it from there',
  }),
  policy_uri: text({
    label: 'Privacy policy',
    check: webUriProblem,
    flag: {
      group: 'pages',
      value: 'uri',
      help: 'its privacy policy, an https URL, for the consent page',
      clear: 'link to no privacy policy',
    },
    docs: 'its privacy policy, an https URL: the consent page links to it',
  }),
  tos_uri: text({
    label: 'Terms of service',
    check: webUriProblem,
    flag: {
      group: 'pages',
      value: 'uri',
      help: 'its terms of service, an https URL, for the consent page',
      clear: 'link to no terms',
    },
    docs: 'its terms of service, an https URL: the consent page links to them',
  }),
  is_public: boolean({
    label: 'Has no secret',
    required: true,
    setBy: '--public',
    docs: '`true` or `false`',
  }),
  /** SHA-256 of the secret in base64; absent for a public client. */
  client_secret_hash: text({
    label: 'Digest of the secret',
    always: true,
    check: digestProblem,
    setBy: '--secret-stdin',
    docs: 'the SHA-256 digest of the secret in base64, never of an empty one; missing for a public client',
  }),
  /** Absent: unknown, because the record was written by hand. */
  client_secret_created_at: text({
    label: 'Secret made',
    check: instantProblem,
    setBy: 'rotate-secret',
    docs: 'when the secret was set: `2026-11-22T08:00:00.000Z`; may be missing',
  }),
  /** SHA-256 of the secret before this one, while it is kept. */
  old_secret_hash: text({
    label: 'Digest of the old secret',
    check: digestProblem,
    setBy: 'rotate-secret',
    docs: 'the digest of the secret before this one, which is accepted, too, until `old_secret_ends_at`',
  }),
  old_secret_created_at: text({
    label: 'Old secret made',
    check: instantProblem,
    setBy: 'rotate-secret',
    docs: 'when that secret was set; may be missing',
  }),
  old_secret_ends_at: text({
    label: 'Old secret ends',
    check: instantProblem,
    setBy: 'rotate-secret',
    docs: 'until when that secret is accepted; required with `old_secret_hash`',
  }),
  /** RFC 7591 §2; both methods with a secret are accepted from every confidential client that has one of them. */
  token_endpoint_auth_method: oneOf([...AUTH_METHODS, ...CERTIFICATE_METHODS], {
    label: 'How it proves itself',
    choice_labels: {
      client_secret_basic: 'A secret, in a header',
      client_secret_post: 'A secret, in the form',
      private_key_jwt: 'A key that signs',
      tls_client_auth: 'A certificate of an authority',
      self_signed_tls_client_auth: 'A certificate of its own',
    },
    flag: {
      group: 'authentication',
      name: 'auth-method',
      value: 'method',
      help: '`private_key_jwt`: it authenticates by [assertions that it signs](client-keys.md), and gets no secret; `tls_client_auth` or `self_signed_tls_client_auth`: by its [certificate](mutual-tls.md); `client_secret_basic` or `client_secret_post`: by a secret, the default',
      clear: 'authenticate by a secret',
    },
    docs: '`private_key_jwt`: it authenticates by [assertions that it signs](client-keys.md) with a key of `jwks` or `jwks_uri`, and by nothing else; `tls_client_auth` or `self_signed_tls_client_auth`: by its [certificate](mutual-tls.md), and by nothing else; `client_secret_basic` or `client_secret_post`: by a secret, and both ways are accepted; default: by a secret',
  }),
  ...MTLS_FIELDS,
  ...KEY_FIELDS,
  redirect_uris: uris({
    label: 'Redirect URIs',
    default: [],
    always: true,
    check: redirectUriProblem,
    flag: {
      name: 'redirect-uri',
      value: 'uri',
      help: 'an allowed redirect URI; repeatable',
      clear: 'remove all redirect URIs',
    },
    shown: 'none',
    docs: 'absolute URIs without wildcards, separated by single spaces',
  }),
  /** What kind of application it is (OpenID Connect Registration §2). */
  application_type: oneOf(APPLICATION_TYPES, {
    label: 'Where it runs',
    choice_labels: { web: 'On a server or in a browser', native: 'On the device of the person' },
    default: 'web',
    flag: {
      group: 'sign_in',
      value: 'type',
      help: '`native`: an app on the device of the user, whose [redirect URIs](sign-in.md#redirect-uris) may have any port of `http://localhost`, and schemes without a dot such as `vscode:`',
    },
    docs: '`web`, or `native`: an app on the device of the user, which may use any port of `http://localhost`, and schemes without a dot such as `vscode:`; default: `web`',
  }),
  allowed_scopes: words({
    label: 'What it may ask for',
    default: [],
    always: true,
    check: (name) => (isScopeToken(name) ? undefined : 'is not a scope name (RFC 6749 §3.3)'),
    flag: {
      name: 'scope',
      value: 'names',
      help: 'scopes that it may obtain; repeatable, or separated by spaces',
      clear: 'remove all scopes',
    },
    shown: 'none',
    docs: 'scope names, separated by single spaces',
  }),
  grant_types: words({
    label: 'How it gets tokens',
    choice_labels: {
      authorization_code: 'People sign in',
      client_credentials: 'By itself, without a person',
      refresh_token: 'It stays signed in',
      [DEVICE_CODE]: 'On a device without a keyboard',
      [CIBA]: 'By asking a person from elsewhere',
      [JWT_BEARER]: 'By the word of a trusted issuer',
      [TOKEN_EXCHANGE]: 'In exchange for the token of somebody',
    },
    required: true,
    choices: GRANT_TYPE_NAMES,
    check: (name) =>
      GRANT_TYPE_NAMES.some((known) => known === name)
        ? undefined
        : 'is not a grant type that redmint supports',
    flag: {
      name: 'grant-type',
      value: 'type',
      help: `${GRANT_TYPES_TEXT}; repeatable. Default: ${DEFAULT_GRANT_TYPE}; with \`refresh_token\` if it gets refresh tokens, and with \`${TOKEN_EXCHANGE}\` by \`--exchange-mode\``,
    },
    docs: `${GRANT_TYPES_TEXT}, separated by single spaces`,
  }),
  /** What it may exchange tokens for (RFC 8693); absent: for none of its own. */
  exchange_mode: oneOf(EXCHANGE_MODES, {
    label: 'Acts for people by exchange',
    choice_labels: {
      delegate: 'Yes: its tokens name it as the one who acts',
      narrow: 'No: it only gets narrower tokens of its own',
    },
    flag: {
      group: 'tokens',
      value: 'mode',
      help: '`delegate`: it may [exchange](acting.md) tokens of people, and acts for them; `narrow`: it may exchange its own tokens for narrower ones',
      clear: 'exchange no tokens',
    },
    shown: 'no',
    docs: '`delegate`: it may [exchange](acting.md) its tokens, and those for APIs that name it, and the new tokens say that it acts; `narrow`: it may exchange its own tokens for some with fewer scopes, or for another of its APIs; default: neither',
  }),
  /** Whether it may ask people who are not there (OpenID Connect CIBA Core §4). */
  asks_people: boolean({
    label: 'Asks people from elsewhere',
    default: false,
    flag: {
      group: 'tokens',
      value: 'boolean',
      help: '`true`: it may [ask people](asks.md) who are not there, and they answer on their account page',
    },
    docs: '`true`: it may [ask people](asks.md) who are not there, and they answer on their account page; default: `false`',
  }),
  /** Where it is told that a person answered, instead of polling alone (CIBA Core §4). */
  backchannel_client_notification_endpoint: text({
    label: 'Where it is told of an answer',
    check: noticeUriProblem,
    flag: {
      group: 'tokens',
      name: 'ask-notification-endpoint',
      value: 'uri',
      help: 'where it is [told](asks.md#be-told-of-the-answer) that a person answered what it asked: https, or http on loopback',
      clear: 'let it poll alone',
    },
    docs: 'where it is [told](asks.md#be-told-of-the-answer) that a person answered what it asked: https, or http on loopback; missing: it polls',
  }),
  /** The types of details that it may ask for (RFC 9396 §10). */
  authorization_details_types: words({
    label: 'Types of details',
    check: detailTypeProblem,
    flag: {
      group: 'tokens',
      name: 'detail-type',
      value: 'types',
      help: 'types of [details](details.md) that it may ask for; repeatable, or separated by spaces',
      clear: 'let it ask for no details',
    },
    shown: 'none',
    docs: 'the types of [details](details.md) that it may ask for, separated by single spaces; default: none',
  }),
  /** The trusted issuer whose assertions authenticate it (RFC 7523), instead of a secret or besides it. */
  assertion_issuer: text({
    label: 'Issuer that vouches for it',
    check: issuerProblem,
    flag: {
      group: 'authentication',
      value: 'url',
      help: 'the [trusted issuer](trusted-issuers.md) whose assertions authenticate it, instead of a secret',
      clear: 'accept no assertions',
    },
    docs: 'the [trusted issuer](trusted-issuers.md) whose assertions authenticate the client; it then needs no secret',
  }),
  /** The pattern of the `sub` of these assertions; absent: the client_id (RFC 7523 §3). */
  assertion_subject: text({
    label: 'Its name at that issuer',
    check: patternProblem,
    flag: {
      group: 'authentication',
      value: 'pattern',
      help: 'the `sub` of these assertions, such as `system:serviceaccount:prod:billing`; default: the client_id',
      clear: 'reset to the client_id',
    },
    docs: 'the `sub` of these assertions, a [pattern](trusted-issuers.md#conditions); default: the client_id',
  }),
  /** Conditions on further claims of these assertions. */
  assertion_claims: uris({
    label: 'What that issuer must say besides',
    check: conditionProblem,
    flag: {
      group: 'authentication',
      name: 'assertion-claim',
      value: 'claim=pattern',
      help: 'another claim that these assertions must have, such as `environment=production`; repeatable',
      clear: 'remove these conditions',
    },
    docs: 'what further claims of these assertions must be, `<claim>=<pattern>`, separated by single spaces',
  }),
  /** The format of its access tokens; absent: the server's ACCESS_TOKEN_FORMAT. */
  access_token_format: oneOf(ACCESS_TOKEN_FORMATS, {
    label: 'Access token',
    choice_labels: { opaque: 'Opaque', jwt: 'JWT' },
    flag: {
      group: 'tokens',
      value: 'format',
      help: "the format of its access tokens; default: the servers' `ACCESS_TOKEN_FORMAT`",
      clear: "reset to the servers' format",
    },
    shown: "the servers' ACCESS_TOKEN_FORMAT",
    docs: '`opaque` or `jwt`; default: `ACCESS_TOKEN_FORMAT`',
  }),
  /** The algorithm that signs its JWT access tokens; absent: the server's ACCESS_TOKEN_ALG. */
  access_token_signed_response_alg: oneOf(SIGNING_ALGS, {
    label: 'Signature of access tokens',
    flag: {
      group: 'tokens',
      value: 'alg',
      help: "the algorithm that signs its JWT access tokens; default: the servers' `ACCESS_TOKEN_ALG`",
      clear: "reset to the servers' algorithm",
    },
    docs: '`RS256`, `ES256`, `PS256` or `EdDSA`, for JWT access tokens; default: `ACCESS_TOKEN_ALG`',
  }),
  /** The lifetime of its access tokens in seconds; absent: the server's ACCESS_TOKEN_TTL. */
  access_token_ttl: seconds({
    label: 'Access tokens are valid for (seconds)',
    max: MAX_SIGNED_TOKEN_TTL,
    flag: {
      group: 'tokens',
      value: 'seconds',
      help: "the lifetime of its access tokens, at most 86400; default: the servers' `ACCESS_TOKEN_TTL`",
      clear: "reset to the servers' lifetime",
    },
    docs: 'lifetime of its access tokens in seconds, at most 86400; default: `ACCESS_TOKEN_TTL`',
  }),
  /** The lifetime of its id_tokens in seconds; absent: the server's ID_TOKEN_TTL. */
  id_token_ttl: seconds({
    label: 'ID tokens are valid for (seconds)',
    max: MAX_SIGNED_TOKEN_TTL,
    flag: {
      group: 'tokens',
      value: 'seconds',
      help: "the lifetime of its id_tokens, at most 86400; default: the servers' `ID_TOKEN_TTL`",
      clear: "reset to the servers' lifetime",
    },
    docs: 'lifetime of its id_tokens in seconds, at most 86400; default: `ID_TOKEN_TTL`',
  }),
  /** The lifetime of its refresh tokens in seconds; absent: the server's REFRESH_TOKEN_TTL. */
  refresh_token_ttl: seconds({
    label: 'Stays signed in for (seconds)',
    max: MAX_REFRESH_TOKEN_TTL,
    flag: {
      group: 'tokens',
      value: 'seconds',
      help: "the lifetime of its refresh tokens, at most 31622400; default: the servers' `REFRESH_TOKEN_TTL`",
      clear: "reset to the servers' lifetime",
    },
    docs: 'lifetime of its refresh tokens in seconds, at most 31622400; default: `REFRESH_TOKEN_TTL`',
  }),
  /** Whether a sign-in gets a refresh token: each, those with the scope offline_access, or none. */
  refresh_tokens: oneOf(REFRESH_TOKENS, {
    label: 'Stays signed in',
    choice_labels: {
      always: 'After each sign-in',
      offline_access: 'If it asks to stay signed in',
      never: 'Never',
    },
    default: 'always',
    flag: {
      group: 'tokens',
      value: 'when',
      help: '`always`: each sign-in gets a refresh token; `offline_access`: only a sign-in with this scope; `never`: none. Default: `offline_access` if that is one of its scopes, `always` if `--grant-type` names `refresh_token`, otherwise `never`',
    },
    docs: '`always`, `offline_access` (a refresh token only where this scope is granted) or `never`; default: `always`',
  }),
  /** The algorithm that signs its id_tokens and logout tokens; absent: the server's ID_TOKEN_ALG. */
  id_token_signed_response_alg: oneOf(SIGNING_ALGS, {
    label: 'Signature of ID tokens',
    flag: {
      group: 'tokens',
      value: 'alg',
      help: "the algorithm that signs its id_tokens; default: the servers' `ID_TOKEN_ALG`",
      clear: "reset to the servers' algorithm",
    },
    docs: '`RS256`, `ES256`, `PS256` or `EdDSA`, for id_tokens and logout tokens; default: `ID_TOKEN_ALG`',
  }),
  ...SIGNED_ANSWER_FIELDS,
  /** Whether its id_tokens have the claims of the granted scopes (OpenID Connect Core §5.4). */
  scope_claims_in_id_token: boolean({
    label: 'Name and address in the ID token',
    default: false,
    flag: {
      group: 'tokens',
      value: 'boolean',
      help: '`true`: its id_tokens have the [claims of the granted scopes](openid.md#claims-of-scopes-in-the-id_token)',
    },
    docs: '`true`: its id_tokens have the claims of the granted scopes, as user information does; default: `false`',
  }),
  /** Whether its access tokens for users have the custom claims of the granted scopes (RFC 9068 §2.2.3.1). */
  custom_claims_in_access_token: boolean({
    label: 'Own claims of people in access tokens',
    default: false,
    flag: {
      group: 'tokens',
      value: 'boolean',
      help: '`true`: its JWT access tokens, and introspection, have the [custom claims](openid.md#custom-claims) of the granted scopes',
    },
    docs: '`true`: its JWT access tokens, and introspection, have the claims that `SCOPE_CLAIMS` gives to the granted scopes; default: `false`',
  }),
  /** Whether its JWT access tokens have a bit in a status list, where the server has those. */
  status_list: boolean({
    label: 'Its tokens are in a status list',
    default: false,
    flag: {
      group: 'tokens',
      value: 'boolean',
      help: '`true`: its JWT access tokens have a bit in a [status list](status-list.md)',
    },
    docs: '`true`: its JWT access tokens have a bit in a [status list](status-list.md), if `STATUS_LISTS` is `on`; default: `false`',
  }),
  /** The claims of the access tokens that it gets for itself. */
  claims: claims({
    label: 'Claims of its own tokens',
    flag: {
      group: 'tokens',
      value: 'json',
      help: 'custom claims of the access tokens that it gets for itself, as a JSON object: `{"tenant":"acme"}`',
      clear: 'remove these claims',
    },
    docs: 'custom claims of the access tokens that it gets for itself, as a JSON object: in its JWTs, and in introspection',
  }),
  /** Whether each use of a refresh token replaces it; always for public clients (RFC 9700 §4.14.2). */
  refresh_token_rotation: boolean({
    label: 'New refresh token at each use',
    default: true,
    flag: {
      group: 'tokens',
      value: 'boolean',
      help: '`false`: a confidential client keeps its refresh token at each use',
    },
    docs: '`false`: a confidential client keeps its refresh token at each use; default: `true`',
  }),
  /** Whether it may introspect tokens of other clients, as a resource server. */
  can_introspect: boolean({
    label: 'May look at all access tokens',
    default: false,
    flag: {
      group: 'tokens',
      value: 'boolean',
      help: '`true`: it may introspect every access token, as a resource server',
    },
    docs: '`true`: the client may introspect every access token, as a resource server; default: `false`',
  }),
  /** Whether an access token of it may be for several resources (RFC 8707 §2.2). */
  multiple_audiences: boolean({
    label: 'One token for several APIs',
    flag: {
      group: 'tokens',
      value: 'boolean',
      help: '`true`: one of its access tokens may be for several [resources](resources.md)',
    },
    docs: '`true`: one of its access tokens may be for several resources; default: `false`',
  }),
  ...PROFILE_FIELDS,
  /** Whether each of its token requests has a DPoP proof (RFC 9449 §5.2). */
  dpop_bound_access_tokens: boolean({
    label: 'Tokens bound to a key (DPoP)',
    flag: {
      group: 'tokens',
      value: 'boolean',
      help: '`true`: it gets tokens only with a [DPoP](dpop.md) proof, which binds them to its key',
    },
    docs: '`true`: each of its token requests needs a [DPoP](dpop.md) proof, so that all its access tokens are bound to a key; default: `false`',
  }),
  /** Whether it must use PKCE; only a confidential client may omit it (RFC 9700 §2.1.1). */
  require_pkce: boolean({
    label: 'Must use PKCE',
    default: true,
    flag: {
      group: 'sign_in',
      value: 'boolean',
      help: '`false`: a confidential client may omit [PKCE](sign-in.md#pkce)',
    },
    docs: '`false`: a confidential client may omit PKCE; default: `true`',
  }),
  ...REQUEST_FIELDS,
  /** Whether it belongs to the operator, so that users are not asked for consent. */
  first_party: boolean({
    label: 'Belongs to us',
    default: false,
    flag: {
      group: 'sign_in',
      value: 'boolean',
      help: '`true`: it belongs to the operator, and users are not asked for consent',
    },
    docs: '`true`: users are not asked for consent; default: `false`',
  }),
  /** How strongly its users must have signed in; absent: in any way. */
  required_acr: words({
    label: 'Second step',
    check: (value) => (/^[\x21-\x7E]{1,64}$/.test(value) ? undefined : 'is not an acr value'),
    flag: {
      group: 'sign_in',
      value: 'acr',
      help: 'how strongly users must sign in for it, one of these values of `acr`, such as `2` for a [second step](second-step.md#who-must-have-one); repeatable. Default: any',
      clear: 'let every sign-in do',
    },
    docs: 'the values of `acr` of which a sign-in for it must have one, separated by single spaces; missing: any',
  }),
  /** The groups whose members may use it; absent: everybody may. */
  allowed_groups: names({
    label: 'Groups that may use it',
    flag: {
      group: 'sign_in',
      name: 'allow-group',
      value: 'name',
      help: 'a group whose members [may use it](access-by-group.md); repeatable, and with an empty name alone nobody may. Default: everybody may',
      clear: 'let everybody use it',
    },
    shown: 'everybody',
    empty: 'nobody',
    docs: 'the [groups](access-by-group.md) whose members may use it, separated by single spaces, with `%20` for a space and `%25` for a percent sign in a name; missing: everybody may; empty: nobody may',
  }),
  /** Whether an operator said that everybody may use it. It opens nothing: without allowed_groups everybody may. */
  everybody: boolean({
    label: 'Everybody may use it',
    default: false,
    flag: {
      group: 'sign_in',
      value: 'boolean',
      help: '`true`: [everybody may use it](access-by-group.md), and that is meant; removes the groups that may',
    },
    docs: '`true`: [everybody may use it](access-by-group.md), and an operator means it, so that no advice asks; without `allowed_groups`, which wins; default: `false`',
  }),
  provider: text({
    label: 'Sign in by one provider',
    check: (name) =>
      /^[a-z][a-z0-9-]{0,22}$/.test(name)
        ? undefined
        : 'must be the name of a provider: up to 23 of a-z, 0-9 and "-", beginning with a letter',
    flag: {
      group: 'sign_in',
      value: 'name',
      help: 'the [provider](providers.md) to which its people go at once. Default: they choose',
      clear: 'let people choose',
    },
    docs: 'the [provider](providers.md) to which its people go at once to sign in, if they can; missing: they choose',
  }),
  ...FORWARD_AUTH_FIELDS,
  /** Whether it gets the user's sub or a pairwise sub (OpenID Connect Core §8). */
  subject_type: oneOf(SUBJECT_TYPES, {
    label: 'Who the person is to it',
    choice_labels: { public: 'The same as to others', pairwise: 'Somebody else than to others' },
    default: 'public',
    flag: {
      group: 'sign_in',
      value: 'type',
      help: '`pairwise`: it gets [its own sub](openid.md#pairwise-subjects) for each user',
    },
    docs: '`public`, or `pairwise`: the client gets its own sub for each user; default: `public`',
  }),
  /** The host for its pairwise subs (OpenID Connect Core §8.1); set for every pairwise client. */
  sector_identifier: text({
    label: 'Host that shares its ids of people',
    check: hostProblem,
    flag: {
      group: 'sign_in',
      value: 'host',
      help: 'the host for pairwise subs; default: the one host of its redirect URIs, required if they do not have exactly one',
      clear: 'reset to the host of its redirect URIs',
    },
    docs: 'the host for pairwise subs, in lower case; default: the one host of its redirect URIs',
  }),
  /** The allowed redirect URIs after a logout (OpenID Connect RP-Initiated Logout §3.1). */
  post_logout_redirect_uris: uris({
    label: 'Where people go after signing out',
    default: [],
    check: redirectUriProblem,
    flag: {
      name: 'post-logout-redirect-uri',
      value: 'uri',
      help: 'an allowed redirect URI after a [logout](logout.md); repeatable',
      clear: 'remove all redirect URIs after a logout',
    },
    docs: 'allowed redirect URIs after a logout: absolute URIs without wildcards, separated by single spaces',
  }),
  /** The address for logout tokens (OpenID Connect Back-Channel Logout §2.2). */
  backchannel_logout_uri: text({
    label: 'Where it is told of a sign-out',
    check: noticeUriProblem,
    flag: {
      group: 'sign_in',
      value: 'uri',
      help: 'the address for logout tokens',
      clear: 'send no logout tokens',
    },
    docs: 'the address for logout tokens: https, or http on loopback',
  }),
  /** Whether its tokens are revoked when the session ends. */
  logout_ends_tokens: boolean({
    label: 'Signing out ends its tokens',
    default: false,
    flag: {
      group: 'sign_in',
      value: 'boolean',
      help: "`true`: its tokens are revoked when the user's session ends",
    },
    docs: '`true`: its tokens of a session are revoked when the session ends; default: `false`',
  }),
  ...PREVIEW_FIELDS,
  /** When it registered itself; absent: an operator registered it. */
  registered_at: text({
    label: 'Registered itself',
    check: instantProblem,
    setBy: 'self-registration',
    docs: 'when the client registered itself; missing: an operator registered it',
  }),
  /** When the record of a preview expires, or that of a client that registered itself unless it gets tokens before. */
  lapses_at: text({
    label: 'Lapses',
    check: instantProblem,
    setBy: 'self-registration, client for-preview',
    docs: 'when a [preview](previews.md) lapses, or a client that registered itself, unless this one gets tokens before; the key expires then. To keep the latter for ever, remove this field and the expiry of the key',
  }),
  /** SHA-256 of the registration access token in base64 (RFC 7592 §3). */
  registration_token_hash: text({
    label: 'Digest of its registration token',
    check: digestProblem,
    setBy: 'self-registration',
    docs: 'the SHA-256 digest in base64 of the token with which a client that registered itself reads, changes and deletes its record',
  }),
  /** Whom to ask about it (RFC 7591 §2). What a client said itself is for the operator only, as the next two fields. */
  contacts: words({
    label: 'Whom to ask',
    check: shortProblem,
    flag: {
      group: 'pages',
      name: 'contact',
      value: 'address',
      help: 'whom to ask about it, an e-mail address or an https URL: the page for users who [may not use it](access-by-group.md) says so; repeatable',
      clear: 'name nobody to ask',
    },
    docs: 'whom to ask about it, such as e-mail addresses, separated by single spaces: the page for users who [may not use it](access-by-group.md) shows them, unless the client registered itself',
  }),
  software_id: text({
    label: 'Software',
    check: shortProblem,
    setBy: 'self-registration',
    docs: 'the software that a client that registered itself says it is',
  }),
  software_version: text({
    label: 'Version of the software',
    check: shortProblem,
    setBy: 'self-registration',
    docs: 'the version of that software',
  }),
  /** Whether every request of the client is refused. */
  disabled: boolean({
    label: 'Disabled',
    default: false,
    setBy: 'disable',
    docs: '`true`: every request of the client is refused; default: `false`',
  }),
  /** Whether demo mode wrote it; its secret is public. */
  demo: boolean({
    label: 'Of demo mode',
    default: false,
    setBy: 'demo mode',
    docs: '`true`: written by demo mode, and refused outside it; default: `false`',
  }),
  /** What was granted to the client before is refused. */
  grants_end_before: milliseconds({
    label: 'Sign-ins ended before',
    setBy: 'grant end',
    docs: 'its codes, and its tokens of grants of users that began before this time, in milliseconds since 1970, are refused; missing: none',
  }),
  /** What a removed client of the same id was issued for itself is refused. */
  tokens_end_before: milliseconds({
    label: 'Own tokens ended before',
    setBy: 'client add',
    docs: 'its own tokens that were issued before this time, in milliseconds since 1970, are those of a removed client of the same id, and refused, and so is for a day one whose record does not say when it was issued; missing: none',
  }),
  managed_by: MANAGED_BY,
  undeclared: boolean({
    label: 'No longer in its file',
    setBy: 'redmint apply',
    docs: '`true`: the file of `managed_by` does not declare the record any more: a run without `--prune` left it; missing: it does',
  }),
} satisfies FieldTable

function webUriProblem(uri: string): string | undefined {
  return isHttpsUrl(uri) ? undefined : 'must be an https URL without user name and password'
}

// A program that is being written is on loopback.
function initiateLoginProblem(uri: string): string | undefined {
  const problem = 'must be an https URL, or one on loopback, without user name, password and fragment'
  if (!isUrl(uri)) return problem
  const { protocol, hostname, username, password, hash } = new URL(uri)
  const is_encrypted = protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
  return is_encrypted && username === '' && password === '' && hash === '' ? undefined : problem
}

function shortProblem(value: string): string | undefined {
  return value.length > MAX_SHORT_LENGTH ? `has more than ${MAX_SHORT_LENGTH} characters` : undefined
}

function hostProblem(value: string): string | undefined {
  return /^[a-z0-9.-]+$/.test(value) ? undefined : 'is not a host name in lower case'
}

// OpenID Connect Back-Channel Logout §2.2; CIBA Core §4 as well.
function noticeUriProblem(uri: string): string | undefined {
  const problem = redirectUriProblem(uri)
  if (problem !== undefined) return problem
  const { protocol, hostname } = new URL(uri)
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
    ? undefined
    : 'must be an https URL, or an http URL on loopback'
}
