/** Where a person came from who signed in by a provider. */
export interface CameFrom {
  /** A digest of the session at another site: the session here ends with that. */
  readonly upstream_session?: string
  /** A digest of the person there: what the other site says of them ends the session here. */
  readonly upstream_user?: string
  /** When they came from there, in milliseconds since 1970: what was said of them before is not about this. */
  readonly upstream_at?: number
}

/** Returns the part of something that says where its person came from. */
export function cameFrom({ upstream_session, upstream_user, upstream_at }: CameFrom): CameFrom {
  return {
    ...(upstream_session !== undefined && { upstream_session }),
    ...(upstream_user !== undefined && { upstream_user }),
    ...(upstream_at !== undefined && { upstream_at }),
  }
}
