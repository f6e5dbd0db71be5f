import { randomBytes } from 'node:crypto'

/** The variables that `redmint init` writes. */
export type InitVariable = Row['name']

/** A variable of the files, and where its value comes from. */
interface Row {
  readonly name: keyof typeof FLAGS
  /** The value unless another one is given; absent: the line is a comment with `example`. */
  readonly value?: string
  readonly example?: string
  /** What it is for, and when to change it. */
  readonly says: string
}

/** The flags of `init`, by variables; those without are not asked for either. */
export const FLAGS = {
  ISSUER: [
    '--issuer <url>',
    'the address at which people and applications reach it: `https://auth.example.com`',
  ],
  PORT: ['--port <number>', 'where a replica listens, for the proxy'],
  MANAGEMENT_PORT: [
    '--management-port <number>',
    'where metrics, admin API and console are, for operators alone',
  ],
  REDIS_URL: [
    '--redis-url <url>',
    'the Redis of all replicas, without a password (default: `redis://127.0.0.1:6379`)',
  ],
  TRUSTED_PROXIES: ['--trusted-proxies <addresses>', 'the addresses of the proxy before the replicas'],
  SMTP_URL: ['--smtp-url <url>', 'the server that mail is handed to, without a password'],
  MAIL_FROM: ['--mail-from <address>', 'the sender of mail'],
  CONSOLE_ORIGIN: [
    '--console-origin <origin>',
    'where operators open the console (default: a tunnel to the management port)',
  ],
  NODE_ENV: undefined,
  HOST: undefined,
  MANAGEMENT_HOST: undefined,
  TOKENS_AT_REST: undefined,
  ADMIN_API: undefined,
  CONSOLE: undefined,
  AUDIT: undefined,
} as const satisfies Readonly<Record<string, readonly [flag: string, help: string] | undefined>>

/** A heading and what stands below it, in the order of the file. */
export const SETTINGS: readonly (readonly [heading: string, rows: readonly Row[]])[] = [
  [
    'The service',
    [
      {
        name: 'ISSUER',
        says: 'Every URL comes from it. It never changes: tokens and passkeys are bound to it.',
      },
      {
        name: 'NODE_ENV',
        value: 'production',
        says: 'Redis is demanded, demo mode refused, and logs are JSON.',
      },
    ],
  ],
  [
    'The process, one of several replicas',
    [
      {
        name: 'HOST',
        value: '127.0.0.1',
        says: 'The address that the proxy reaches: 0.0.0.0 if it is on another machine.',
      },
      {
        name: 'PORT',
        value: '3000',
        says: 'Of two replicas on one machine, give the second one another one.',
      },
      {
        name: 'TRUSTED_PROXIES',
        example: '10.0.0.2',
        says: 'The proxy, whose X-Forwarded-For counts. Without it everybody has the address of the proxy.',
      },
    ],
  ],
  [
    'For operators alone: metrics, admin API, console',
    [
      {
        name: 'MANAGEMENT_HOST',
        value: '127.0.0.1',
        says: 'No address that the proxy or the world reaches.',
      },
      {
        name: 'MANAGEMENT_PORT',
        value: '9000',
        says: 'Of two replicas on one machine, give the second one another one.',
      },
      { name: 'ADMIN_API', value: 'on', says: 'What the console and redmint --server work by.' },
      { name: 'CONSOLE', value: 'on', says: 'Pages for operators, at /console of the management port.' },
      {
        name: 'CONSOLE_ORIGIN',
        value: 'http://localhost:9000',
        says: 'Where a browser opens the console: here by a tunnel, ssh -L 9000:127.0.0.1:9000 HOST.',
      },
      { name: 'AUDIT', value: 'on', says: 'Who changed what, and who signed in, for 90 days.' },
    ],
  ],
  [
    'Records',
    [
      {
        name: 'REDIS_URL',
        value: 'redis://127.0.0.1:6379',
        says: 'One Redis for all replicas, with persistence and maxmemory-policy noeviction.',
      },
      { name: 'TOKENS_AT_REST', value: 'hashed', says: 'Who reads Redis or a backup can use no token.' },
    ],
  ],
  [
    'Mail: invitations, links to new passwords, notices',
    [
      {
        name: 'SMTP_URL',
        example: 'smtps://redmint@smtp.example.com:465',
        says: 'With a password it belongs into the file with secrets.',
      },
      { name: 'MAIL_FROM', example: 'login@example.com', says: 'The sender. Needed with SMTP_URL.' },
    ],
  ],
]

/** The secrets that are made, each with what is lost without it. */
export const SECRETS = {
  KEY_ENCRYPTION_KEY: 'Encrypts the signing keys in Redis. Without it they cannot be read: keep a copy.',
  AUDIT_KEY: 'Signs the entries of the audit trail, so that redmint audit verify finds what was changed.',
} as const

/** Returns 32 random bytes, as `openssl rand -base64 32` prints them. */
export const newSecret = (): string => randomBytes(32).toString('base64')
