android.defaultConfig.manifestPlaceholders["appAuthRedirectScheme"] = "{{redirect_scheme}}"

dependencies {
    implementation("net.openid:appauth:0.11.1")
}
