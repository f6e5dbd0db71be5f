from django.contrib import admin
from django.http import HttpResponse
from django.middleware.csrf import get_token
from django.urls import include, path
from django.utils.html import format_html

SIGN_IN = '<a href="/oidc/authenticate/">Sign in</a>'
SIGN_OUT = """<p>{} {}</p><form method="post" action="/oidc/logout/">
<input type="hidden" name="csrfmiddlewaretoken" value="{}"><button>Sign out</button></form>"""


def home(request):
    user = request.user
    if not user.is_authenticated:
        return HttpResponse("<p>Nobody is signed in.</p>" + SIGN_IN)
    return HttpResponse(format_html(SIGN_OUT, user.get_full_name(), user.email, get_token(request)))


def refused(request):
    # For example, the user pressed "Do not allow".
    return HttpResponse("<p>You are not signed in.</p>" + SIGN_IN, status=403)


urlpatterns = [
    path("admin/", admin.site.urls),
    path("oidc/", include("mozilla_django_oidc.urls")),
    path("refused", refused),
    path("", home),
]
