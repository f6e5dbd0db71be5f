urlpatterns += [path("oidc/", include("mozilla_django_oidc.urls"))]
