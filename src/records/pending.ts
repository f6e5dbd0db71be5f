/** A request that waits for its person: what was asked, whose browser it is, and how far the person has come. */
export interface PendingRecord {
  /** Which endpoint it came to. */
  readonly kind: 'authorization' | 'logout'
  /** The parameters of the request, as JSON. They are read anew at each step. */
  readonly parameters: string
  /** A digest of what the browser's cookie holds: no other browser can go on with it. */
  readonly browser: string
  /** The client, for whoever looks into storage; absent where the request names none. */
  readonly client_id?: string
  /** The `sid` and `auth_time` of the sign-in that was made for this request. */
  readonly signed_in?: string
  /** The `sid` of the account that was chosen for this request. */
  readonly chosen?: string
}
