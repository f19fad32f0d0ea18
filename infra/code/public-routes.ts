/** File of the function that publishes the public key of checkpoints. */
export const sealPub = 'public/seal-pub.ts'

/** Maps public routes to the files of their functions. The responses require no credential and can be cached by anyone (A2.12). */
export const publicRoutes: Record<string, string> = {
  'GET /openapi': 'public/openapi.ts',
  'GET /openapi.json': 'public/openapi.ts',
  'GET /seal.pub': sealPub,
  'GET /docs': 'public/docs.ts',
  'GET /docs/redoc.standalone.js': 'public/docs.ts',
}

/** Maps sign-in routes to the files of their functions (I2.1). Each page is specific to one request, so it is not cacheable. */
export const signInPages: Record<string, string> = {
  'GET /sign_in/{slug}': 'public/sign-in-page.ts',
  'POST /sign_in/{slug}': 'public/sign-in-email.ts',
  'GET /sign_in/{slug}/start': 'public/sign-in-start.ts',
}

/** Maps the routes of the web console to the file of their function (K2.2). */
export const consoleRoutes: Record<string, string> = {
  'GET /console': 'public/console.ts',
  'GET /console/{path+}': 'public/console.ts',
}
