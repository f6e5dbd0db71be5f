import NextAuth from "next-auth"

export const { handlers, auth, signIn, signOut } = NextAuth({
  providers: [
    {
      id: "redmint",
      name: "redmint",
      type: "oidc",
      issuer: process.env.AUTH_REDMINT_ISSUER,
      clientId: process.env.AUTH_REDMINT_ID,
      clientSecret: process.env.AUTH_REDMINT_SECRET,
      authorization: { params: { scope: "{{scope}}" } },
    },
  ],
})
