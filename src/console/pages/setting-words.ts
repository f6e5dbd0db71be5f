/** Words of variables that are said otherwise. */
const WORDS: Readonly<Record<string, string>> = {
  TTL: 'lifetime',
  URL: 'address',
  URI: 'address',
  URIS: 'addresses',
  ID: 'id',
  SMTP: 'SMTP',
  LDAP: 'LDAP',
  OTLP: 'OTLP',
  TLS: 'TLS',
  CSP: 'CSP',
  HSTS: 'HSTS',
  PAR: 'pushed request',
  DPOP: 'DPoP',
  MTLS: 'mTLS',
  JWT: 'JWT',
  API: 'API',
  REDIS: 'Redis',
  ARGON2: 'Argon2',
  MAX: 'most',
  ALG: 'algorithm',
}

/** Settings that are called otherwise than their variables say. */
const CALLED: Readonly<Record<string, string>> = {
  ISSUER: 'Address of the service',
  HOST: 'Address to listen at',
  PORT: 'Port to listen at',
  SIGN_IN: 'Ways to sign in',
  SIGN_UP: 'Who may make an account',
  SESSION_TTL: 'Signed in for, at most',
  TOKENS_AT_REST: 'Tokens in storage',
  KEY_ENCRYPTION_KEY: 'Encryption of signing keys',
  SMTP_URL: 'Mail server',
  SERVICE_NAME: 'Name of the service',
  HELP_URL: 'Address of help',
  REDIS_URL: 'Redis',
  LDAP_URL: 'Directory',
  DEMO: 'Demo mode',
  AUDIT: 'Audit trail',
}

/** Returns what a setting is called. @param variable as `SESSION_TTL`, or the name of an option */
export function settingWords(variable: string): string {
  const name = variable.toUpperCase()
  const called = Object.hasOwn(CALLED, name) ? CALLED[name] : undefined
  if (called !== undefined) return called
  const words = name
    .split('_')
    .map((word) => (Object.hasOwn(WORDS, word) ? (WORDS[word] ?? word) : word.toLowerCase()))
  const text = words.join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The groups of settings, by what their variables begin with or are; what fits none is of the process. */
const GROUPS: readonly (readonly [group: string, begins: RegExp])[] = [
  ['Redis', /^REDIS/],
  ['Mail', /^(SMTP|MAIL)/],
  ['Look', /^(SERVICE_NAME|ACCENT|LOGO|STYLE|HELP|PRIVACY|TERMS|TEXTS|LANGUAGE|UI_|ICON|.*_PAGE_)/],
  [
    'Tokens',
    /^(ACCESS_TOKEN|ID_TOKEN|REFRESH|CODE|TOKENS|KEY|SIGNING|DPOP|PAR|REQUIRE|SCOPE|PAIRWISE|CLIENT|DEVICE|LOGOUT|INTROSPECTION)/,
  ],
  [
    'Sign-in',
    /^(SIGN|SESSION|SECOND|PASSKEY|PASSWORD|ARGON2|USER|LOGIN|CONSENT|ACCOUNT|PROVIDER|LDAP|DIRECTORY|REMEMBER|STAY|TRUSTED_BROWSER|RECOVERY|INVITATION|FORWARD|FORGOT|CUSTOM_CLAIMS|GROUPS)/,
  ],
  ['Operators', /^(ADMIN|CONSOLE|AUDIT|EXPLAIN|MANAGEMENT|METRICS|TRACING|OTEL|LOG)/],
]
const REST = 'Process'

/** The names of the groups, in the order of a page. */
export const SETTING_GROUPS: readonly string[] = [REST, ...GROUPS.map(([group]) => group)]

/** Returns the group of a setting. */
export const groupOf = (variable: string): string =>
  GROUPS.find(([, begins]) => begins.test(variable.toUpperCase()))?.[0] ?? REST
