// The page of an application of React; the printed main.jsx shows it.
import { useState } from 'react'
import { useAuth } from 'react-oidc-context'

/** Who is signed in, and a button for each thing to do. */
export function App() {
  const { user, isLoading, error, ...auth } = useAuth()
  const [renewed, setRenewed] = useState('')
  const refresh = async () => {
    const next = await auth.signinSilent()
    setRenewed(next?.access_token === user?.access_token ? 'the same token' : 'another token')
  }
  const name = user ? `${user.profile.name} <${user.profile.email}>` : 'nobody'
  return (
    <>
      <button type="button" id="sign-in" onClick={() => auth.signinRedirect()}>
        Sign in
      </button>
      <button type="button" id="refresh" onClick={refresh}>
        Refresh
      </button>
      <button type="button" id="sign-out" onClick={() => auth.signoutRedirect()}>
        Sign out
      </button>
      <output>{error?.message ?? (isLoading ? 'please wait' : renewed || name)}</output>
    </>
  )
}
