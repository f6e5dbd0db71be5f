import { DEVICE_CODE, TOKEN_EXCHANGE } from '../../clients/record/grant-types.ts'
import type { Preset } from './preset.ts'

/** What an application that signs people in asks for, unless it says otherwise. */
export const SIGN_IN_SCOPES = ['openid', 'profile', 'email']
/** The same for a framework that refreshes by itself. */
const STAY_SIGNED_IN = [...SIGN_IN_SCOPES, 'offline_access']

/** For a framework that looks for the name and the e-mail address in the id_token and nowhere else. */
const READS_ID_TOKEN = { scope_claims_in_id_token: true } as const

/** Packages of an application of its own, apart from those of the system. */
const ENTER_ENVIRONMENT = 'python3 -m venv .venv && . .venv/bin/activate'
const VIRTUAL_ENVIRONMENT = ['mkdir web-app && cd web-app', ENTER_ENVIRONMENT]
const ENVIRONMENT_OF_API = ['mkdir orders && cd orders', ENTER_ENVIRONMENT]

/** The frameworks of `client add --for`, in the order of messages. Each has a page of this name in docs/connect/. */
export const PRESETS = {
  nextjs: {
    title: 'Auth.js 5 in Next.js',
    needs: 'origin',
    redirect_path: '/api/auth/callback/redmint',
    logout_paths: ['/'],
    begin: [
      'npx --yes create-next-app@latest web-app --yes',
      'cd web-app',
      // The newest version is 4; what is below has changed since.
      'npm install next-auth@^5.0.0-beta.32',
    ],
    fields: { is_public: false, allowed_scopes: SIGN_IN_SCOPES, ...READS_ID_TOKEN },
    files: [
      { file: '.env.local', language: 'sh', template: 'nextjs/settings.env' },
      { file: 'auth.ts', language: 'ts', template: 'nextjs/auth.ts' },
      { file: 'app/api/auth/[...nextauth]/route.ts', language: 'ts', template: 'nextjs/route.ts' },
      { file: 'app/sign-out/route.ts', language: 'ts', template: 'nextjs/sign-out.ts' },
      {
        file: 'app/page.tsx',
        language: 'tsx',
        template: 'nextjs/page.tsx',
        run: 'npm run dev -- --port {{port}}',
      },
    ],
  },
  express: {
    title: 'express-openid-connect',
    needs: 'origin',
    redirect_path: '/callback',
    logout_paths: ['', '/'],
    begin: ['mkdir web-app && cd web-app', 'npm init --yes', 'npm install express express-openid-connect'],
    // It accepts RS256 only, unless idTokenSigningAlg is set.
    fields: {
      is_public: false,
      allowed_scopes: STAY_SIGNED_IN,
      id_token_signed_response_alg: 'RS256',
      ...READS_ID_TOKEN,
    },
    files: [
      { file: '.env', language: 'sh', template: 'express/settings.env' },
      {
        file: 'app.mjs',
        language: 'js',
        template: 'express/app.mjs',
        run: 'node --env-file=.env app.mjs',
      },
    ],
  },
  'better-auth': {
    title: 'Better Auth in Express',
    needs: 'origin',
    redirect_path: '/api/auth/callback/redmint',
    logout_paths: ['/'],
    begin: ['mkdir web-app && cd web-app', 'npm init --yes', 'npm install express better-auth'],
    fields: { is_public: false, allowed_scopes: SIGN_IN_SCOPES },
    files: [
      { file: '.env', language: 'sh', template: 'better-auth/settings.env' },
      {
        file: 'app.mjs',
        language: 'js',
        template: 'better-auth/app.mjs',
        run: 'node --env-file=.env app.mjs',
      },
    ],
  },
  spring: {
    title: 'Spring Boot with oauth2Login',
    needs: 'origin',
    redirect_path: '/login/oauth2/code/redmint',
    logout_paths: ['/'],
    backchannel_path: '/logout/connect/back-channel/redmint',
    begin: [
      'curl -sS https://start.spring.io/starter.tgz -d dependencies=web,oauth2-client -d type=maven-project \\',
      '  -d baseDir=web-app -d name=webapp -d packageName=com.example.webapp | tar -xzf -',
      'cd web-app',
    ],
    fields: { is_public: false, allowed_scopes: SIGN_IN_SCOPES, id_token_signed_response_alg: 'RS256' },
    files: [
      { file: 'src/main/resources/application.yml', language: 'yaml', template: 'spring/application.yml' },
      {
        file: 'src/main/java/com/example/webapp/SecurityConfiguration.java',
        language: 'java',
        template: 'spring/SecurityConfiguration.java',
      },
      {
        file: 'src/main/java/com/example/webapp/HomeController.java',
        language: 'java',
        template: 'spring/HomeController.java',
        run: './mvnw spring-boot:run -Dspring-boot.run.arguments=--server.port={{port}}',
      },
    ],
  },
  'spring-api': {
    title: 'a Spring Boot resource server',
    needs: 'origin',
    is_api: true,
    begin: [
      'curl -sS https://start.spring.io/starter.tgz -d dependencies=web,oauth2-resource-server -d type=maven-project \\',
      '  -d baseDir=orders -d name=orders -d packageName=com.example.orders | tar -xzf -',
      'cd orders',
    ],
    fields: { is_public: false, can_introspect: true },
    files: [
      {
        file: 'src/main/resources/application.yml',
        language: 'yaml',
        template: 'spring-api/application.yml',
      },
      {
        file: 'src/main/java/com/example/orders/ApiSecurity.java',
        language: 'java',
        template: 'spring-api/ApiSecurity.java',
      },
      {
        file: 'src/main/java/com/example/orders/OrdersController.java',
        language: 'java',
        template: 'spring-api/OrdersController.java',
        run: './mvnw spring-boot:run -Dspring-boot.run.arguments=--server.port={{port}}',
      },
      {
        file: 'src/main/java/com/example/orders/JwtApiSecurity.java',
        language: 'java',
        template: 'spring-api/JwtApiSecurity.java',
        use: 'instead of application.yml and ApiSecurity.java, to verify JWTs by the key set without introspection',
      },
    ],
  },
  'express-api': {
    title: 'an API in Express',
    needs: 'origin',
    is_api: true,
    begin: ['mkdir orders && cd orders', 'npm init --yes', 'npm install express redmint'],
    fields: { is_public: false, can_introspect: true },
    files: [
      { file: '.env', language: 'sh', template: 'api/settings.env' },
      {
        file: 'app.mjs',
        language: 'js',
        template: 'express-api/app.mjs',
        run: 'node --env-file=.env app.mjs',
      },
    ],
  },
  'fastapi-api': {
    title: 'an API in FastAPI',
    needs: 'origin',
    is_api: true,
    begin: [...ENVIRONMENT_OF_API, 'pip install fastapi uvicorn httpx python-dotenv'],
    fields: { is_public: false, can_introspect: true },
    files: [
      { file: '.env', language: 'sh', template: 'api/settings.env' },
      {
        file: 'app.py',
        language: 'python',
        template: 'fastapi-api/app.py',
        run: 'uvicorn app:app --env-file .env --host localhost --port {{port}}',
      },
    ],
  },
  'django-api': {
    title: 'an API in Django',
    needs: 'origin',
    is_api: true,
    begin: [...ENVIRONMENT_OF_API, 'pip install django requests', 'django-admin startproject orders .'],
    fields: { is_public: false, can_introspect: true },
    files: [
      {
        file: 'orders/settings.py',
        language: 'python',
        template: 'django-api/settings.py',
        use: 'at its end',
      },
      { file: 'orders/redmint.py', language: 'python', template: 'django-api/redmint.py' },
      {
        file: 'orders/urls.py',
        language: 'python',
        template: 'django-api/urls.py',
        run: 'python manage.py runserver localhost:{{port}}',
      },
    ],
  },
  'go-api': {
    title: 'an API in Go',
    needs: 'origin',
    is_api: true,
    begin: ['mkdir orders && cd orders', 'go mod init orders'],
    fields: { is_public: false, can_introspect: true },
    files: [
      { file: '.env', language: 'sh', template: 'api/settings.env' },
      {
        file: 'main.go',
        language: 'go',
        template: 'go-api/main.go',
        run: 'set -a && . ./.env && go run .',
      },
    ],
  },
  'acting-api': {
    title: 'an API that calls another one for its users',
    needs: 'scope',
    is_api: true,
    acts: true,
    fields: {
      is_public: false,
      grant_types: [TOKEN_EXCHANGE],
      exchange_mode: 'delegate',
      // It takes tokens, too: one client is all that it needs.
      can_introspect: true,
    },
    files: [
      { file: '.env', language: 'sh', template: 'api/settings.env', use: 'in Node and in Go' },
      {
        file: 'exchange.mjs',
        language: 'js',
        template: 'acting-api/exchange.mjs',
        use: 'in Node, after npm install openid-client',
      },
      { file: 'exchange.go', language: 'go', template: 'acting-api/exchange.go', use: 'in Go' },
      {
        file: 'src/main/resources/application.yml',
        language: 'yaml',
        template: 'acting-api/application.yml',
        use: 'in Spring Boot, with spring-boot-starter-oauth2-client',
      },
      {
        file: 'src/main/java/com/example/orders/Acting.java',
        language: 'java',
        template: 'acting-api/Acting.java',
        use: 'in Spring Boot',
      },
    ],
  },
  django: {
    title: 'mozilla-django-oidc',
    needs: 'origin',
    redirect_path: '/oidc/callback/',
    logout_paths: ['/'],
    begin: [
      ...VIRTUAL_ENVIRONMENT,
      'pip install django mozilla-django-oidc',
      'django-admin startproject web_app .',
    ],
    fields: { is_public: false, allowed_scopes: SIGN_IN_SCOPES, id_token_signed_response_alg: 'RS256' },
    files: [
      {
        file: 'web_app/settings.py',
        language: 'python',
        template: 'django/settings.py',
        use: 'at its end',
      },
      { file: 'web_app/oidc.py', language: 'python', template: 'django/oidc.py' },
      {
        file: 'web_app/urls.py',
        language: 'python',
        template: 'django/urls.py',
        run: 'python manage.py migrate && python manage.py runserver localhost:{{port}}',
      },
    ],
  },
  flask: {
    title: 'Authlib in Flask',
    needs: 'origin',
    redirect_path: '/callback',
    logout_paths: ['/'],
    begin: [...VIRTUAL_ENVIRONMENT, 'pip install flask authlib requests python-dotenv'],
    fields: { is_public: false, allowed_scopes: SIGN_IN_SCOPES, ...READS_ID_TOKEN },
    files: [
      { file: '.env', language: 'sh', template: 'flask/settings.env' },
      {
        file: 'app.py',
        language: 'python',
        template: 'flask/app.py',
        run: 'flask run --host localhost --port {{port}}',
      },
    ],
  },
  fastapi: {
    title: 'Authlib in FastAPI',
    needs: 'origin',
    redirect_path: '/callback',
    logout_paths: ['/'],
    begin: [...VIRTUAL_ENVIRONMENT, 'pip install fastapi uvicorn authlib httpx itsdangerous python-dotenv'],
    fields: { is_public: false, allowed_scopes: SIGN_IN_SCOPES, ...READS_ID_TOKEN },
    files: [
      { file: '.env', language: 'sh', template: 'flask/settings.env' },
      {
        file: 'app.py',
        language: 'python',
        template: 'fastapi/app.py',
        run: 'uvicorn app:app --env-file .env --host localhost --port {{port}}',
      },
    ],
  },
  go: {
    title: 'x/oauth2 and go-oidc',
    needs: 'origin',
    redirect_path: '/callback',
    logout_paths: ['/'],
    begin: ['mkdir web-app && cd web-app', 'go mod init web-app'],
    fields: { is_public: false, allowed_scopes: STAY_SIGNED_IN, ...READS_ID_TOKEN },
    files: [
      { file: '.env', language: 'sh', template: 'go/settings.env' },
      {
        file: 'main.go',
        language: 'go',
        template: 'go/main.go',
        run: 'go mod tidy && set -a && . ./.env && go run .',
      },
    ],
  },
  dotnet: {
    title: 'ASP.NET Core',
    needs: 'origin',
    redirect_path: '/signin-oidc',
    logout_paths: ['/signout-callback-oidc'],
    begin: [
      'dotnet new web --output web-app',
      'cd web-app',
      'dotnet add package Microsoft.AspNetCore.Authentication.OpenIdConnect',
    ],
    fields: { is_public: false, allowed_scopes: SIGN_IN_SCOPES },
    files: [
      { file: 'appsettings.json', language: 'json', template: 'dotnet/appsettings.json' },
      {
        file: 'Program.cs',
        language: 'csharp',
        template: 'dotnet/Program.cs',
        run: 'dotnet run --urls http://localhost:{{port}}',
      },
    ],
  },
  apache: {
    title: 'Apache with mod_auth_openidc',
    needs: 'origin',
    redirect_path: '/redirect_uri',
    logout_paths: ['/'],
    backchannel_path: '/redirect_uri?logout=backchannel',
    fields: { is_public: false, allowed_scopes: SIGN_IN_SCOPES },
    files: [{ file: 'a virtual host of Apache', language: 'apache', template: 'apache/site.conf' }],
  },
  nginx: {
    title: 'nginx with oauth2-proxy',
    needs: 'origin',
    redirect_path: '/oauth2/callback',
    logout_paths: ['/'],
    fields: { is_public: false, allowed_scopes: SIGN_IN_SCOPES, ...READS_ID_TOKEN },
    files: [
      { file: 'oauth2-proxy.cfg', language: 'toml', template: 'nginx/oauth2-proxy.cfg' },
      { file: 'a server of nginx', language: 'nginx', template: 'nginx/site.conf' },
    ],
  },
  grafana: {
    title: 'Grafana',
    needs: 'origin',
    redirect_path: '/login/generic_oauth',
    logout_paths: ['/login'],
    fields: { is_public: false, allowed_scopes: STAY_SIGNED_IN },
    files: [{ file: 'grafana.ini', language: 'ini', template: 'grafana/grafana.ini' }],
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
    files: [
      {
        file: 'the file of kube-apiserver --authentication-config',
        language: 'yaml',
        template: 'kubernetes/authentication-config.yaml',
      },
      { file: '~/.kube/config', language: 'yaml', template: 'kubernetes/kube-config.yaml' },
      {
        file: 'a ClusterRoleBinding',
        language: 'yaml',
        template: 'kubernetes/role-binding.yaml',
        use: 'for a group of redmint: without one its users may do nothing',
      },
    ],
  },
  argocd: {
    title: 'Argo CD',
    needs: 'origin',
    redirect_path: '/auth/callback',
    // A server of Argo CD that has a secret sends no code_challenge by default.
    fields: { is_public: false, allowed_scopes: SIGN_IN_SCOPES, require_pkce: false, ...READS_ID_TOKEN },
    files: [
      { file: 'the ConfigMap argocd-cm', language: 'yaml', template: 'argocd/argocd-cm.yaml' },
      { file: 'the Secret argocd-secret', language: 'yaml', template: 'argocd/argocd-secret.yaml' },
    ],
  },
  react: {
    title: 'react-oidc-context',
    needs: 'origin',
    redirect_path: '/callback',
    logout_paths: ['/'],
    begin: [
      'npm create --yes vite@latest web-app -- --template react --no-interactive',
      'cd web-app',
      'npm install react-oidc-context oidc-client-ts',
    ],
    fields: { is_public: true, allowed_scopes: STAY_SIGNED_IN },
    files: [
      { file: 'src/oidc.js', language: 'js', template: 'react/oidc.js' },
      { file: 'src/main.jsx', language: 'jsx', template: 'react/main.jsx' },
      {
        file: 'src/App.jsx',
        language: 'jsx',
        template: 'react/App.jsx',
        run: 'npm run dev -- --port {{port}}',
      },
    ],
  },
  ios: {
    title: 'AppAuth for iOS',
    needs: 'redirect-uri',
    logs_out_to_redirect_uri: true,
    fields: { is_public: true, application_type: 'native', allowed_scopes: STAY_SIGNED_IN },
    files: [{ file: 'ContentView.swift', language: 'swift', template: 'ios/ContentView.swift' }],
  },
  android: {
    title: 'AppAuth for Android',
    needs: 'redirect-uri',
    logs_out_to_redirect_uri: true,
    fields: { is_public: true, application_type: 'native', allowed_scopes: STAY_SIGNED_IN },
    files: [
      {
        file: 'app/build.gradle.kts',
        language: 'kotlin',
        template: 'android/build.gradle.kts',
        use: 'at its end',
      },
      { file: 'MainActivity.kt', language: 'kotlin', template: 'android/MainActivity.kt' },
    ],
  },
  mcp: {
    title: 'an MCP client',
    needs: 'scope',
    fields: {
      is_public: true,
      application_type: 'native',
      redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
      allowed_scopes: STAY_SIGNED_IN,
    },
    files: [{ file: 'the settings of the MCP client', language: 'text', template: 'mcp/settings.txt' }],
  },
  device: {
    title: 'a device without a browser',
    fields: {
      is_public: true,
      allowed_scopes: STAY_SIGNED_IN,
      grant_types: [DEVICE_CODE, 'refresh_token'],
      refresh_tokens: 'offline_access',
    },
    files: [
      { file: '.env', language: 'sh', template: 'device/settings.env' },
      { file: 'device.sh', language: 'sh', template: 'device/device.sh', run: 'sh device.sh' },
    ],
  },
  machine: {
    title: 'a program without a user',
    needs: 'scope',
    fields: { is_public: false },
    files: [
      { file: '.env', language: 'sh', template: 'machine/settings.env' },
      { file: 'token.sh', language: 'sh', template: 'machine/token.sh', run: 'sh token.sh' },
    ],
  },
} satisfies Record<string, Preset>

export type PresetName = keyof typeof PRESETS

/** Their names, in this order. */
export const PRESET_NAMES = Object.keys(PRESETS) as readonly PresetName[]
