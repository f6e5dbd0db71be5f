REDMINT = {
    "issuer": "{{issuer}}",
    "resource": "{{origin}}",
    "client": ("{{client_id}}", "{{client_secret}}"),
}
