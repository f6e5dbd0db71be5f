import { createRoot } from "react-dom/client"
import { AuthProvider } from "react-oidc-context"
import App from "./App"
import "./index.css"
import { oidc } from "./oidc"

const removeCode = () => history.replaceState({}, "", "/")

createRoot(document.getElementById("root")).render(
  <AuthProvider {...oidc} onSigninCallback={removeCode}>
    <App />
  </AuthProvider>,
)
