/**
 * Whether a version applies min-replicas-to-write to scripts: Redis before 7.0 does not. Valkey says the version of Redis
 * that it is compatible with.
 * @param version absent: it is not known, as with some managed servers
 */
export function heedsReplicas(version = '7'): boolean {
  return Number.parseInt(version, 10) >= 7
}
