/** What tells the public half of the key that signs checkpoints. */
export const sealPub = 'public/seal-pub.ts'

/** What needs no credential and is no operation: the function of each route (A2.12). */
export const publicRoutes: Record<string, string> = {
  'GET /openapi': 'public/openapi.ts',
  'GET /openapi.json': 'public/openapi.ts',
  'GET /seal.pub': sealPub,
  'GET /docs': 'public/docs.ts',
  'GET /docs/redoc.standalone.js': 'public/docs.ts',
}
