import NextAuth from "next-auth"

/** After this time, in milliseconds, redmint is asked again, and a user who is disabled there is out. */
const CHECK_EVERY = 60 * 60 * 1000

export const { handlers, auth, signIn, signOut } = NextAuth({
  providers: [
    {
      id: "redmint",
      name: "redmint",
      type: "oidc",
      issuer: process.env.AUTH_REDMINT_ISSUER,
      clientId: process.env.AUTH_REDMINT_ID,
      clientSecret: process.env.AUTH_REDMINT_SECRET,
      checks: ["pkce", "state", "nonce"],
      authorization: { params: { scope: "{{scope}}" } },
    },
  ],
  callbacks: {
    jwt({ token, account }) {
      // The sub at redmint: the only name of a user that never changes.
      if (account)
        return { ...token, sub: account.providerAccountId, id_token: account.id_token, since: Date.now() }
      return Date.now() - Number(token.since) < CHECK_EVERY ? token : null
    },
    session({ session, token }) {
      session.user.id = token.sub ?? ""
      return session
    },
  },
})
