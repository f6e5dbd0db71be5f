// The page of an application of Next.js: the session, as the printed auth.ts gives it.
import { auth } from '@/auth'

export const GET = async () => Response.json(await auth())
