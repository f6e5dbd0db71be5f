import { NextResponse } from "next/server"
import { getToken } from "next-auth/jwt"
import { signOut } from "@/auth"

const { AUTH_SECRET, AUTH_URL = "", AUTH_REDMINT_ISSUER, AUTH_REDMINT_ID = "" } = process.env

export async function POST(req: Request) {
  const token = await getToken({ req, secret: AUTH_SECRET, secureCookie: AUTH_URL.startsWith("https:") })
  await signOut({ redirect: false })
  const query = new URLSearchParams({ client_id: AUTH_REDMINT_ID, post_logout_redirect_uri: `${AUTH_URL}/` })
  if (token?.id_token) query.set("id_token_hint", String(token.id_token))
  return NextResponse.redirect(`${AUTH_REDMINT_ISSUER}{{path.end_session}}?${query}`, 303)
}
