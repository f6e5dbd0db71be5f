import { androidSettings, iosSettings, mcpSettings } from './apps.ts'
import { deviceSettings } from './devices.ts'
import { expressSettings, nextjsSettings, reactSettings } from './javascript.ts'
import {
  dotnetSettings,
  goSettings,
  machineSettings,
  springApiSettings,
  springSettings,
} from './languages.ts'
import { argocdSettings, grafanaSettings, kubernetesSettings } from './platforms.ts'
import type { Preset } from './preset.ts'
import { apacheSettings, nginxSettings } from './proxies.ts'
import { djangoSettings, fastapiSettings, flaskSettings } from './python.ts'

const SIGN_IN = ['openid', 'profile', 'email']
const STAY_SIGNED_IN = [...SIGN_IN, 'offline_access']

/** For a framework that looks for the name and the e-mail address in the id_token and nowhere else. */
const READS_ID_TOKEN = { scope_claims_in_id_token: true } as const

/** The frameworks of `client add --for`. Each has a page of this name in docs/connect/. */
export const PRESETS = {
  nextjs: {
    title: 'Auth.js 5 in Next.js',
    needs: 'origin',
    redirect_path: '/api/auth/callback/redmint',
    fields: { is_public: false, allowed_scopes: SIGN_IN, ...READS_ID_TOKEN },
    settings: nextjsSettings,
  },
  express: {
    title: 'express-openid-connect',
    needs: 'origin',
    redirect_path: '/callback',
    logout_paths: ['', '/'],
    // It accepts RS256 only, unless idTokenSigningAlg is set.
    fields: {
      is_public: false,
      allowed_scopes: STAY_SIGNED_IN,
      id_token_signed_response_alg: 'RS256',
      ...READS_ID_TOKEN,
    },
    settings: expressSettings,
  },
  spring: {
    title: 'Spring Boot with oauth2Login',
    needs: 'origin',
    redirect_path: '/login/oauth2/code/redmint',
    logout_paths: ['/'],
    fields: { is_public: false, allowed_scopes: SIGN_IN, id_token_signed_response_alg: 'RS256' },
    settings: springSettings,
  },
  'spring-api': {
    title: 'a Spring Boot resource server',
    fields: { is_public: false, can_introspect: true },
    settings: springApiSettings,
  },
  django: {
    title: 'mozilla-django-oidc',
    needs: 'origin',
    redirect_path: '/oidc/callback/',
    fields: { is_public: false, allowed_scopes: SIGN_IN, id_token_signed_response_alg: 'RS256' },
    settings: djangoSettings,
  },
  flask: {
    title: 'Authlib in Flask',
    needs: 'origin',
    redirect_path: '/callback',
    fields: { is_public: false, allowed_scopes: SIGN_IN, ...READS_ID_TOKEN },
    settings: flaskSettings,
  },
  fastapi: {
    title: 'Authlib in FastAPI',
    needs: 'origin',
    redirect_path: '/callback',
    fields: { is_public: false, allowed_scopes: SIGN_IN, ...READS_ID_TOKEN },
    settings: fastapiSettings,
  },
  go: {
    title: 'x/oauth2 and go-oidc',
    needs: 'origin',
    redirect_path: '/callback',
    fields: { is_public: false, allowed_scopes: STAY_SIGNED_IN, ...READS_ID_TOKEN },
    settings: goSettings,
  },
  dotnet: {
    title: 'ASP.NET Core',
    needs: 'origin',
    redirect_path: '/signin-oidc',
    logout_paths: ['/signout-callback-oidc'],
    fields: { is_public: false, allowed_scopes: SIGN_IN },
    settings: dotnetSettings,
  },
  apache: {
    title: 'Apache with mod_auth_openidc',
    needs: 'origin',
    redirect_path: '/redirect_uri',
    logout_paths: ['/'],
    fields: { is_public: false, allowed_scopes: SIGN_IN },
    settings: apacheSettings,
  },
  nginx: {
    title: 'nginx with oauth2-proxy',
    needs: 'origin',
    redirect_path: '/oauth2/callback',
    fields: { is_public: false, allowed_scopes: SIGN_IN, ...READS_ID_TOKEN },
    settings: nginxSettings,
  },
  grafana: {
    title: 'Grafana',
    needs: 'origin',
    redirect_path: '/login/generic_oauth',
    logout_paths: ['/login'],
    fields: { is_public: false, allowed_scopes: SIGN_IN },
    settings: grafanaSettings,
  },
  kubernetes: {
    title: 'Kubernetes with kubelogin',
    fields: {
      is_public: true,
      application_type: 'native',
      redirect_uris: ['http://localhost:8000'],
      allowed_scopes: STAY_SIGNED_IN,
      ...READS_ID_TOKEN,
    },
    settings: kubernetesSettings,
  },
  argocd: {
    title: 'Argo CD',
    needs: 'origin',
    redirect_path: '/auth/callback',
    // A server of Argo CD that has a secret sends no code_challenge by default.
    fields: { is_public: false, allowed_scopes: SIGN_IN, require_pkce: false, ...READS_ID_TOKEN },
    settings: argocdSettings,
  },
  react: {
    title: 'react-oidc-context',
    needs: 'origin',
    redirect_path: '/callback',
    logout_paths: ['/'],
    fields: { is_public: true, allowed_scopes: STAY_SIGNED_IN },
    settings: reactSettings,
  },
  ios: {
    title: 'AppAuth for iOS',
    needs: 'redirect-uri',
    fields: { is_public: true, application_type: 'native', allowed_scopes: STAY_SIGNED_IN },
    settings: iosSettings,
  },
  android: {
    title: 'AppAuth for Android',
    needs: 'redirect-uri',
    fields: { is_public: true, application_type: 'native', allowed_scopes: STAY_SIGNED_IN },
    settings: androidSettings,
  },
  mcp: {
    title: 'an MCP client',
    fields: {
      is_public: true,
      application_type: 'native',
      redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
      allowed_scopes: STAY_SIGNED_IN,
    },
    settings: mcpSettings,
  },
  device: {
    title: 'a device without a browser',
    fields: {
      is_public: true,
      allowed_scopes: STAY_SIGNED_IN,
      grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
      refresh_tokens: 'offline_access',
    },
    settings: deviceSettings,
  },
  machine: {
    title: 'a program without a user',
    needs: 'scope',
    fields: { is_public: false },
    settings: machineSettings,
  },
} as const satisfies Record<string, Preset>

export type PresetName = keyof typeof PRESETS
