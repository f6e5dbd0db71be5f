from django.http import JsonResponse
from django.urls import path

from .redmint import needs


@needs("orders.read")
def orders(request):
    return JsonResponse({"user": request.token.get("sub", ""), "client": request.token["client_id"]})


urlpatterns = [path("orders", orders)]
