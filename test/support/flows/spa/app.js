// A page that knows its person by oidc-client-ts alone; what it has to say is in its <output>.
const { origin, pathname } = location
const manager = new oidc.UserManager({
  ...settings,
  redirect_uri: `${origin}/callback`,
  post_logout_redirect_uri: `${origin}/bye`,
  scope: 'openid profile email offline_access',
  loadUserInfo: true,
  automaticSilentRenew: false,
  userStore: new oidc.WebStorageStateStore({ store: localStorage }),
})

const say = (what) => {
  document.querySelector('output').textContent = what
}
const press = (id, act) => {
  document.querySelector(`#${id}`).onclick = () => act().catch((error) => say(`failed: ${error.message}`))
}
const tell = async (arrival) => {
  const user = await manager.getUser()
  say(user ? `${user.profile.name} <${user.profile.email}> ${arrival?.state ?? ''}` : 'nobody')
}

press('sign-in', () => manager.signinRedirect({ state: 'what I was about to do' }))
press('sign-out', () => manager.signoutRedirect())
press('renew', async () => {
  const before = await manager.getUser()
  const after = await manager.signinSilent()
  say(after.access_token === before.access_token ? 'the same token' : 'another token')
})
press('ask', async () => {
  const { access_token } = await manager.getUser()
  const answer = await fetch(await manager.metadataService.getUserInfoEndpoint(), {
    headers: { authorization: `Bearer ${access_token}` },
  })
  say(JSON.stringify(await answer.json()))
})

const arrive = async () => {
  const arrival = await manager.signinCallback()
  // A reload must not bring the code once more.
  history.replaceState(null, '', '/')
  return arrival
}
const ARRIVALS = { '/callback': arrive, '/bye': () => manager.signoutCallback() }
Promise.resolve(ARRIVALS[pathname]?.())
  .then(tell)
  .catch((error) => say(`failed: ${error.message}`))
