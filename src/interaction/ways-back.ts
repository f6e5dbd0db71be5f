/** By what a person who is signed in can show who it is once more. */
export interface WaysBack {
  /** The accounts elsewhere, `<issuer>#<sub>`. */
  readonly links: readonly string[]
  readonly has_passkey: boolean
}
