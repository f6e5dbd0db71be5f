// node-oidc-provider with its storage in memory and the same client.
import Provider from 'oidc-provider'
import { CLIENT, SECRET } from '../client.ts'

const provider = new Provider(`http://127.0.0.1:${process.env.PORT}`, {
  clients: [
    {
      client_id: CLIENT.client_id,
      client_secret: SECRET,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      scope: 'api.read',
    },
  ],
  scopes: ['api.read'],
  features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
  routes: { token: '/oauth2/token' },
})
provider.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('listening'))
