/** The systems whose files can be imported. */
export const SYSTEMS = ['keycloak', 'hydra', 'auth0', 'authelia'] as const
export type System = (typeof SYSTEMS)[number]
