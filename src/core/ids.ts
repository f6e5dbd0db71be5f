declare const kind: unique symbol

/**
 * The id of one kind of object. Plain strings, from requests and storage, are assignable to it; ids of another kind are
 * not, so the compiler finds swapped arguments.
 */
type Id<Kind extends string> = string & { readonly [kind]?: Kind }

/** The client_id of a registered client (RFC 6749 §2.2). */
export type ClientId = Id<'ClientId'>

/** The public id of a session (OpenID Connect Back-Channel Logout §2.1). */
export type Sid = Id<'Sid'>

/** The sub of an account; never a pairwise subject (OpenID Connect Core §8). */
export type Sub = Id<'Sub'>

/** The id of a token family: all codes and tokens of one sign-in or one client credentials request. */
export type FamilyId = Id<'FamilyId'>

/** The id of a pending request: a token string. */
export type TransactionId = Id<'TransactionId'>

/** A pending request, sealed: the value of `transaction` in addresses and forms. */
export type Transaction = Id<'Transaction'>
