using System.Net;
using System.Security.Claims;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authentication.Cookies;
using Microsoft.AspNetCore.Authentication.OpenIdConnect;

var builder = WebApplication.CreateBuilder(args);
builder.Services
    .AddAuthentication(options =>
    {
        options.DefaultScheme = CookieAuthenticationDefaults.AuthenticationScheme;
        options.DefaultChallengeScheme = OpenIdConnectDefaults.AuthenticationScheme;
    })
    // After this time redmint is asked again, and a user who is disabled there is out.
    .AddCookie(options =>
    {
        options.ExpireTimeSpan = TimeSpan.FromHours(1);
        options.SlidingExpiration = false;
    })
    .AddOpenIdConnect(options =>
    {
        var redmint = builder.Configuration.GetSection("Redmint");
        options.Authority = redmint["Authority"];
        options.ClientId = redmint["ClientId"];
        options.ClientSecret = redmint["ClientSecret"];
        // An issuer on http is one on this machine.
        options.RequireHttpsMetadata = options.Authority!.StartsWith("https:");
        options.ResponseType = "code";
        // By GET, cookies of a page on http come back, too.
        options.ResponseMode = "query";
        options.CorrelationCookie.SameSite = SameSiteMode.Lax;
        options.NonceCookie.SameSite = SameSiteMode.Lax;
        options.Scope.Clear();
        foreach (var scope in "{{scope}}".Split(' ')) options.Scope.Add(scope);
        options.MapInboundClaims = false;
        options.GetClaimsFromUserInfoEndpoint = true;
        // With them the sign-out says whose it is.
        options.SaveTokens = true;
        options.TokenValidationParameters.NameClaimType = "name";
        // For example, the user pressed "Do not allow".
        options.Events.OnRemoteFailure = context =>
        {
            context.HandleResponse();
            context.Response.Redirect("/refused");
            return Task.CompletedTask;
        };
    });
builder.Services.AddAuthorization();

var app = builder.Build();
app.UseAuthentication();
app.UseAuthorization();

IResult Page(string body) => Results.Content(body, "text/html; charset=utf-8");
string Encode(string? text) => WebUtility.HtmlEncode(text ?? "");

app.MapGet("/", (ClaimsPrincipal user) => Page(user.Identity?.IsAuthenticated == true
    ? $"<p>{Encode(user.Identity.Name)} {Encode(user.FindFirstValue("email"))}</p><a href=\"/logout\">Sign out</a>"
    : "<p>Nobody is signed in.</p><a href=\"/login\">Sign in</a>"));
app.MapGet("/refused", () => Page("<p>You are not signed in.</p><a href=\"/login\">Try again</a>"));
app.MapGet("/login", () => Results.Challenge(new AuthenticationProperties { RedirectUri = "/" }));
app.MapGet("/logout", () => Results.SignOut(
    new AuthenticationProperties { RedirectUri = "/" },
    [CookieAuthenticationDefaults.AuthenticationScheme, OpenIdConnectDefaults.AuthenticationScheme]));
app.Run();
