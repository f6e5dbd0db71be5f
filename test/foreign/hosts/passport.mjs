// An application with Passport and the strategy of openid-client, configured by the .env of `--for express`.
import express from 'express'
import session from 'express-session'
import * as client from 'openid-client'
import { Strategy } from 'openid-client/passport'
import passport from 'passport'

const { ISSUER_BASE_URL, BASE_URL, CLIENT_ID, CLIENT_SECRET, SECRET, PORT } = process.env
const config = await client.discovery(new URL(ISSUER_BASE_URL), CLIENT_ID, CLIENT_SECRET, undefined, {
  execute: [client.allowInsecureRequests],
})
const options = { config, scope: 'openid profile email', callbackURL: `${BASE_URL}/callback` }
passport.use('redmint', new Strategy(options, (tokens, done) => done(null, tokens.claims())))
passport.serializeUser((user, done) => done(null, user))
passport.deserializeUser((user, done) => done(null, user))

const app = express()
app.use(session({ secret: SECRET, resave: false, saveUninitialized: false }))
app.use(passport.authenticate('session'))
app.get('/', (request, response) =>
  request.user ? response.json(request.user) : response.redirect('/callback'),
)
app.get('/callback', passport.authenticate('redmint', { successRedirect: '/' }))
app.listen(PORT)
