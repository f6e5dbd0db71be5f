/** The answer to a request of the admin API. */
export interface AdminReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON; empty: there is none. */
  readonly body: string
}
