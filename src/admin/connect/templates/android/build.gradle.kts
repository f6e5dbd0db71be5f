android.defaultConfig.manifestPlaceholders["appAuthRedirectScheme"] = "{{redirect_scheme}}"
