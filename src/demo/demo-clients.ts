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
