import { useAuth } from "react-oidc-context"

export default function App() {
  const { isLoading, isAuthenticated, error, user, signinRedirect, signoutRedirect } = useAuth()
  // The id_token must be of the sign-in that began here.
  const signIn = () => signinRedirect({ nonce: crypto.randomUUID() })
  if (isLoading) return <p>One moment …</p>
  if (error || !isAuthenticated)
    return (
      <main>
        <p>{error ? `You are not signed in: ${error.message}.` : "Nobody is signed in."}</p>
        <button onClick={signIn}>Sign in</button>
      </main>
    )
  const { name, preferred_username, email } = user.profile
  return (
    <main>
      <p>
        {name ?? preferred_username} {email}
      </p>
      <button onClick={() => signoutRedirect()}>Sign out</button>
    </main>
  )
}
