import { PATHS } from '../core/paths.ts'

/** The confidential client of demo mode; its secret is public. */
export const DEMO_SERVICE = { client_id: 'demo-service', client_secret: 'demo-service-secret' } as const

/** The administrator of demo mode on loopback: a client whose secret is public. */
export const DEMO_ADMIN = { client_id: 'demo-admin', client_secret: 'demo-admin-secret' } as const

/** The public client of demo mode. */
export const DEMO_APP = { client_id: 'demo-app', redirect_uri: 'http://127.0.0.1/callback' } as const

/** The public client that is the page /demo itself. */
export const DEMO_PAGE = { client_id: 'demo-page', callback: `${PATHS.demo}/callback` } as const

/** The public client that is the device of the page /demo/device. */
export const DEMO_DEVICE = { client_id: 'demo-device' } as const

/** The confidential web application of demo mode, which runs on any port of this machine; its secret is public. */
export const DEMO_WEB = { client_id: 'demo-web', client_secret: 'demo-web-secret' } as const

/** The single-page application of demo mode, which runs on any port of this machine. */
export const DEMO_SPA = { client_id: 'demo-spa' } as const

/** Where applications of demo mode are, on any port, and where people return to from a sign-out. */
export const DEMO_CALLBACKS = ['http://localhost/callback', 'http://127.0.0.1/callback'] as const
export const DEMO_AFTER_LOGOUT = ['http://localhost/', 'http://127.0.0.1/'] as const

/** The API of somebody who tries redmint: tokens for it are JWTs. */
export const DEMO_API = { resource: 'https://api.demo.test', scopes: ['api.read', 'api.write'] } as const

/** All clients of demo mode. */
export const DEMO_CLIENT_IDS: readonly string[] = [
  DEMO_SERVICE,
  DEMO_APP,
  DEMO_PAGE,
  DEMO_DEVICE,
  DEMO_WEB,
  DEMO_SPA,
  DEMO_ADMIN,
].map(({ client_id }) => client_id)
