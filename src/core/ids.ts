declare const kind: unique symbol

/**
 * A string that names one kind of thing. Plain strings, as they come from requests and storage, can be used for it; a
 * string of another kind cannot, so the compiler finds arguments that were mixed up.
 */
type Id<Kind extends string> = string & { readonly [kind]?: Kind }

/** A registered client (RFC 6749 §2.2). */
export type ClientId = Id<'ClientId'>

/** A session as clients know it (OpenID Connect Back-Channel Logout §2.1). */
export type Sid = Id<'Sid'>

/** A user as the user record knows it: never a pairwise subject (OpenID Connect Core §8). */
export type Sub = Id<'Sub'>

/** A token family: everything that came of one sign-in, or of one client credentials request. */
export type FamilyId = Id<'FamilyId'>

/** A pending request. */
export type TransactionId = Id<'TransactionId'>
