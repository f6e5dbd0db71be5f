import type { Client } from '../clients/record/client-record.ts'
import type { Session } from '../sessions/session.ts'
import type { AccessStepContext } from './access-step.ts'
import type { LoginStep } from './interaction.ts'
import { findProviderMethod, type SignInMethods } from './sign-in-method.ts'

type ComeBackContext = AccessStepContext & { readonly methods: SignInMethods }

/** Whether the groups of a user matter: they decide about the client, or it learns of them. */
interface GroupsMatter {
  readonly client: Client
  /** The claims that it gets. */
  readonly claims: readonly string[]
}

/**
 * Returns the sign-in by a provider that has to come first, because the groups that it said of the user have ended, and
 * matter; undefined: there is none, or the user cannot come back by it, so that nothing but the groups is missing.
 * @throws StorageUnavailable
 */
export function comesBackBy(
  context: ComeBackContext,
  { client, claims }: GroupsMatter,
  session: Session,
): Promise<LoginStep | undefined> | undefined {
  const matter = client.allowed_groups !== undefined || claims.includes(context.settings.groups_claim)
  return matter ? lapsedProvider(context, session) : undefined
}

async function lapsedProvider(
  { accounts, methods }: ComeBackContext,
  session: Session,
): Promise<LoginStep | undefined> {
  const lapsed = (await accounts.findUser(session))?.lapsed
  if (!lapsed?.is_linked) return undefined
  const { provider } = lapsed
  const is_on = (await findProviderMethod(methods, provider)) !== undefined
  return is_on ? { step: 'login', provider } : undefined
}
