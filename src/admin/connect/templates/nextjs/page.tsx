import { Suspense } from "react"
import { auth, signIn } from "@/auth"

export default function Page() {
  return (
    <Suspense fallback={<p>One moment …</p>}>
      <Home />
    </Suspense>
  )
}

async function Home() {
  const user = (await auth())?.user
  if (!user) {
    const start = async () => {
      "use server"
      await signIn("redmint")
    }
    return (
      <form action={start}>
        <button>Sign in</button>
      </form>
    )
  }
  return (
    <form method="post" action="/sign-out">
      <p>
        {user.name} {user.email}
      </p>
      <button>Sign out</button>
    </form>
  )
}
