// The page of the settings for React, with oidc-client-ts alone.
import { UserManager } from 'oidc-client-ts'
import { oidc } from '/src/oidc.js'

const users = new UserManager(oidc)
const show = (text) => {
  document.querySelector('output').textContent = text
}
const actions = {
  'sign-in': () => users.signinRedirect(),
  refresh: async () => {
    const before = (await users.getUser()).access_token
    const { access_token } = await users.signinSilent()
    show(access_token === before ? 'the same token' : 'another token')
  },
  'sign-out': () => users.signoutRedirect(),
}
for (const [id, act] of Object.entries(actions)) document.getElementById(id).onclick = act
if (location.pathname === '/callback') {
  await users.signinCallback()
  history.replaceState({}, '', '/')
}
const user = await users.getUser()
show(user ? `${user.profile.name} <${user.profile.email}>` : 'nobody')
