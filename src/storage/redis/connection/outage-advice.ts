import type { RedisLocation } from '../../../config/redis-location.ts'

/** The environment variables that locate Redis and hold its credentials. */
const VARIABLES = {
  single: { place: 'REDIS_URL', credentials: 'REDIS_URL', tls: 'a rediss:// URL', plain: 'a redis:// URL' },
  cluster: {
    place: 'REDIS_CLUSTER_NODES',
    credentials: 'REDIS_USERNAME and REDIS_PASSWORD',
    tls: 'REDIS_TLS=true',
    plain: 'REDIS_TLS=false',
  },
  sentinel: {
    place: 'REDIS_SENTINELS',
    credentials: 'REDIS_USERNAME and REDIS_PASSWORD',
    tls: 'REDIS_TLS=true',
    plain: 'REDIS_TLS=false',
  },
}

type Names = (typeof VARIABLES)['single']

/** Reasons that show that a server is there: it refuses, or it is not the one that was configured. */
const THERE =
  /Redis answered (?!LOADING|CLUSTERDOWN|MASTERDOWN)|^(no Sentinel answers: )?it |no answer to TLS|CERT|SSL|EPROTO|EACCES|UNABLE_TO|no master named|has no slots/

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/
/** Returns how a log or message tells a server that refuses from one that is away, as a predicate of a sentence. */
export function stateOf(reason: string): string {
  return THERE.test(reason) ? 'is there, but cannot be used' : 'is away'
}

const RIGHTS = 'Grant the rights that docs/keyspace.md lists under “Who may write”.'

/** What to do, by reason; the first one that matches is said. */
const ADVICE: readonly [RegExp, (names: Names) => string][] = [
  [/no master named/, () => 'Set REDIS_SENTINEL_NAME to the name in “sentinel monitor”.'],
  [
    /no Sentinel answers: .*(WRONGPASS|NOAUTH)/,
    () => 'Set REDIS_SENTINEL_PASSWORD to the password of the Sentinels.',
  ],
  [
    /ALERT_CERTIFICATE_REQUIRED/,
    () => 'It wants a certificate of its clients: set its tls-auth-clients to no.',
  ],
  [/CERT_HAS_EXPIRED/, () => 'Its certificate has expired: renew it.'],
  [
    /no such database/,
    ({ place }) =>
      `Correct the database number at the end of ${place}, or raise databases in its configuration.`,
  ],
  [
    /not a node of a Redis Cluster/,
    () => 'Set REDIS_URL, or REDIS_SENTINELS and REDIS_SENTINEL_NAME, instead of REDIS_CLUSTER_NODES.',
  ],
  [/has no slots/, () => 'Create the Cluster (redis-cli --cluster create).'],
  [/MOVED/, () => 'It is a node of a Redis Cluster: set REDIS_CLUSTER_NODES instead of REDIS_URL.'],
  [/it is a Sentinel/, () => 'Set REDIS_SENTINELS and REDIS_SENTINEL_NAME instead of REDIS_URL.'],
  [/it is not a Sentinel/, () => 'Correct REDIS_SENTINELS: the port of a Sentinel is mostly 26379.'],
  [/protocol of Redis/, ({ place }) => `Another program listens there: correct ${place}.`],
  [/ECONNREFUSED/, ({ place }) => `Nothing listens there: start Redis, or correct ${place}.`],
  [
    /ENOTFOUND|EAI_AGAIN/,
    ({ place }) => `The host name has no address: correct ${place} or the name service.`,
  ],
  [/EHOSTUNREACH|ENETUNREACH/, ({ place }) => `There is no route: correct ${place} or the network.`],
  [/ENOENT/, ({ place }) => `The socket does not exist: start Redis, or correct the path in ${place}.`],
  [/EACCES/, () => 'Let the user of redmint read and write the socket.'],
  [/WRONGPASS/, ({ credentials }) => `It refuses the password: correct ${credentials}.`],
  [/NOAUTH/, ({ credentials }) => `It wants a password: set ${credentials}.`],
  [/NOPERM/, () => `Its user lacks a right. ${RIGHTS}`],
  [/DENIED/, () => 'It is in protected mode: set a password (requirepass or ACL), or bind it to loopback.'],
  [
    /ERR_TLS_CERT_ALTNAME_INVALID/,
    ({ place }) => `Its certificate is for another name: use that name in ${place}.`,
  ],
  [
    CERTIFICATE,
    () => 'Its certificate is not trusted: set NODE_EXTRA_CA_CERTS to the file of its certificate authority.',
  ],
  [/no answer to TLS|SSL|EPROTO/, ({ plain }) => `If it does not speak TLS at this port, use ${plain}.`],
  [
    /closed the connection at once/,
    ({ tls }) => `If it expects TLS at this port, use ${tls}; otherwise look at its maxclients and its log.`,
  ],
  [
    /closed the TLS connection at once/,
    ({ plain }) =>
      `If it wants a certificate of its clients, set its tls-auth-clients to no; if it does not speak TLS at this port, use ${plain}; otherwise look at its maxclients and its log.`,
  ],
  [/no answer in time/, () => 'It hangs, is overloaded, or the network drops its packets.'],
  [
    /it is a replica/,
    ({ place }) => `Name the master in ${place}, or promote this server (REPLICAOF NO ONE).`,
  ],
  [/OOM/, () => 'Its memory is full: raise maxmemory, or remove keys that are not of redmint.'],
  [/MISCONF/, () => 'It cannot write to its disk: look at its log.'],
  [/NOREPLICAS/, () => 'Fewer replicas than min-replicas-to-write are connected: repair them.'],
  [/MASTERDOWN/, () => 'It is a replica that lost its master: repair the master, or promote this server.'],
  [/CLUSTERDOWN/, () => 'Some slots have no master: look at CLUSTER INFO and CLUSTER NODES.'],
  [/BUSY/, () => 'A script of another client does not end: SCRIPT KILL ends it.'],
  [/LOADING/, () => 'It is reading its data; this ends by itself.'],
]

/** Returns what an operator can do about a reason, as a sentence for the log; undefined if that is not known. */
export function adviceOn(reason: string, { kind }: Pick<RedisLocation, 'kind'>): string | undefined {
  if (kind === 'sentinel' && /^no (connection|answer in time)/.test(reason)) {
    return 'It is the master that the Sentinels name; they replace it after down-after-milliseconds.'
  }
  const found = ADVICE.find(([pattern]) => pattern.test(reason))
  return found?.[1](VARIABLES[kind])
}
