package com.example.app

import android.app.Activity
import android.content.Intent
import android.net.Uri
import android.os.Bundle
import android.widget.Button
import android.widget.LinearLayout
import android.widget.TextView
import java.io.IOException
import java.net.HttpURLConnection
import java.net.URL
import kotlin.concurrent.thread
import net.openid.appauth.AuthState
import net.openid.appauth.AuthorizationException
import net.openid.appauth.AuthorizationRequest
import net.openid.appauth.AuthorizationResponse
import net.openid.appauth.AuthorizationService
import net.openid.appauth.AuthorizationServiceConfiguration
import net.openid.appauth.EndSessionRequest
import net.openid.appauth.ResponseTypeValues
import org.json.JSONObject

private const val ISSUER = "{{issuer}}"
private const val REDIRECT_URI = "{{redirect_uri}}"
private const val SIGN_IN = 1
private const val SIGN_OUT = 2

class MainActivity : Activity() {
    private lateinit var service: AuthorizationService
    private lateinit var text: TextView
    private lateinit var button: Button
    private var state = AuthState()

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        service = AuthorizationService(this)
        text = TextView(this)
        button = Button(this)
        val column = LinearLayout(this)
        column.orientation = LinearLayout.VERTICAL
        column.fitsSystemWindows = true
        column.addView(text)
        column.addView(button)
        setContentView(column)
        getPreferences(MODE_PRIVATE).getString("state", null)?.let { state = AuthState.jsonDeserialize(it) }
        show("")
    }

    override fun onResume() {
        super.onResume()
        if (state.isAuthorized) load()
    }

    override fun onDestroy() {
        super.onDestroy()
        service.dispose()
    }

    private fun signIn() {
        AuthorizationServiceConfiguration.fetchFromIssuer(Uri.parse(ISSUER)) { configuration, error ->
            if (configuration == null) return@fetchFromIssuer fail(error)
            val request = AuthorizationRequest.Builder(
                configuration,
                "{{client_id}}",
                ResponseTypeValues.CODE,
                Uri.parse(REDIRECT_URI),
            ).setScope("{{scope}}").build()
            startActivityForResult(service.getAuthorizationRequestIntent(request), SIGN_IN)
        }
    }

    /** Ends the session at redmint; the tokens follow when the browser is back. */
    private fun signOut() {
        val configuration = state.authorizationServiceConfiguration ?: return forget("")
        val request = EndSessionRequest.Builder(configuration)
            .setIdTokenHint(state.idToken)
            .setPostLogoutRedirectUri(Uri.parse(REDIRECT_URI))
            .build()
        startActivityForResult(service.getEndSessionRequestIntent(request), SIGN_OUT)
    }

    @Deprecated("Deprecated in Java")
    override fun onActivityResult(requestCode: Int, resultCode: Int, data: Intent?) {
        super.onActivityResult(requestCode, resultCode, data)
        val error = data?.let { AuthorizationException.fromIntent(it) }
        if (data == null || error != null) return fail(error)
        if (requestCode == SIGN_OUT) {
            revoke(state.refreshToken.orEmpty())
            return forget("")
        }
        val response = AuthorizationResponse.fromIntent(data) ?: return
        service.performTokenRequest(response.createTokenExchangeRequest()) { tokens, refusal ->
            if (tokens == null) return@performTokenRequest fail(refusal)
            state = AuthState(response, tokens, null)
            save()
            load()
        }
    }

    /** Asks redmint who it is. The access token is refreshed first if it has expired. */
    private fun load() {
        val asked = state
        asked.performActionWithFreshTokens(service) { accessToken, _, error ->
            if (state !== asked) return@performActionWithFreshTokens
            // A refused refresh is kept in the state. A network that is away is not.
            if (!asked.isAuthorized) return@performActionWithFreshTokens forget("You were signed out.")
            if (accessToken == null) return@performActionWithFreshTokens fail(error)
            save()
            thread {
                val (status, body) = userInfo(accessToken)
                runOnUiThread {
                    when {
                        state !== asked -> {}
                        status == 401 -> forget("You were signed out.")
                        status == 200 -> {
                            val user = JSONObject(body)
                            show("${user.optString("name")}\n${user.optString("email")}")
                        }
                        else -> show("The server does not answer.")
                    }
                }
            }
        }
    }

    private fun userInfo(accessToken: String): Pair<Int, String> = try {
        val connection = URL(ISSUER + "{{path.userinfo}}").openConnection() as HttpURLConnection
        connection.setRequestProperty("Authorization", "Bearer $accessToken")
        val status = connection.responseCode
        Pair(status, if (status == 200) connection.inputStream.bufferedReader().readText() else "")
    } catch (_: IOException) {
        Pair(0, "")
    }

    /** A refresh token outlives the session, because of the scope offline_access. */
    private fun revoke(token: String) {
        thread {
            try {
                val connection = URL(ISSUER + "{{path.revoke}}").openConnection() as HttpURLConnection
                connection.doOutput = true
                connection.outputStream.use { it.write("client_id={{encoded_client_id}}&token=$token".toByteArray()) }
                connection.responseCode
            } catch (_: IOException) {
                // It ends by itself if nobody uses it.
            }
        }
    }

    private fun save() {
        getPreferences(MODE_PRIVATE).edit().putString("state", state.jsonSerializeString()).apply()
    }

    private fun forget(message: String) {
        state = AuthState()
        save()
        show(message)
    }

    private fun fail(error: AuthorizationException?) = show(
        when (error) {
            AuthorizationException.AuthorizationRequestErrors.ACCESS_DENIED -> "You are not signed in."
            AuthorizationException.GeneralErrors.USER_CANCELED_AUTH_FLOW, null -> ""
            else -> error.errorDescription ?: error.error ?: "It did not work."
        },
    )

    private fun show(message: String) {
        text.text = message
        button.text = if (state.isAuthorized) "Sign out" else "Sign in"
        button.setOnClickListener { if (state.isAuthorized) signOut() else signIn() }
    }
}
