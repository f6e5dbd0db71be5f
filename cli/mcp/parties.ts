/** What is asked about identity assertions (ID-JAG) for an MCP server. */
export interface AskedAssertions {
  /** The issuer of the server that issues them. */
  readonly assertions_from: string
  /** As the server calls the client whose records are read; the user likewise. */
  readonly client?: string | undefined
  readonly user?: string | undefined
}

/** Between whom an assertion goes. */
export interface AssertionParties extends AskedAssertions {
  /** Of the server that takes it. */
  readonly issuer: string
  /** The MCP server as its metadata name it, and the scopes that it asks for. */
  readonly resource: string
  readonly scopes: readonly string[]
}
