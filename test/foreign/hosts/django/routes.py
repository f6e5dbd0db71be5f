# The part of urls.py that the project has; the printed settings follow it.
from django.contrib.auth.decorators import login_required
from django.http import JsonResponse
from django.urls import include, path


@login_required
def home(request):
    return JsonResponse({"email": request.user.email})


urlpatterns = [path("", home)]
