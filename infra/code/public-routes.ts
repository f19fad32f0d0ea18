/** The function that publishes the public half of the key that signs checkpoints. */
export const sealPub = 'public/seal-pub.ts'

/** Functions of routes without a credential, whose answers anybody may cache (A2.12). */
export const publicRoutes: Record<string, string> = {
  'GET /openapi': 'public/openapi.ts',
  'GET /openapi.json': 'public/openapi.ts',
  'GET /seal.pub': sealPub,
  'GET /docs': 'public/docs.ts',
  'GET /docs/redoc.standalone.js': 'public/docs.ts',
}

/** Pages that people sign in on (I2.1). Each is made for one request, so nobody keeps it. */
export const signInPages: Record<string, string> = {
  'GET /sign_in/{slug}': 'public/sign-in-page.ts',
  'POST /sign_in/{slug}': 'public/sign-in-email.ts',
  'GET /sign_in/{slug}/start': 'public/sign-in-start.ts',
}
