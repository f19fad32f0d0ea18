/** Route of the HTTP API. The key is, for example, `GET /groups` or `$default`. */
export type ApiRoute = { key: string; uri: string; invokerArn: string }

const anyMethod = 'x-amazon-apigateway-any-method'

function toPathItem(key: string): { path: string; method: string; more: object } {
  if (key === '$default') return { path: `/${key}`, method: anyMethod, more: { isDefaultRoute: true } }
  const [method = '', path = ''] = key.split(' ')
  const schema = { type: 'string' }
  const parameters = path.matchAll(/\{([^}]+)\}/g).map(([, name]) => ({ name, in: 'path', required: true, schema }))
  return {
    path,
    method: method === 'ANY' ? anyMethod : method.toLowerCase(),
    more: path.includes('{') ? { parameters: [...parameters] } : {},
  }
}

/**
 * Builds the OpenAPI definition of all routes and integrations, which API Gateway applies atomically.
 * @param endpoint endpoint configuration, which API Gateway would ignore as a property of the API
 * @throws Error if two routes are equal, or their paths differ only in parameter names
 */
export function apiBody(title: string, routes: ApiRoute[], endpoint: object): object {
  const paths: Record<string, Record<string, object>> = {}
  const pathsByShape = new Map<string, string>()
  for (const { key, uri, invokerArn } of routes.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const { path, method, more } = toPathItem(key)
    const shape = path.replace(/\{[^}+]+/g, '{')
    const other = pathsByShape.get(shape) ?? path
    pathsByShape.set(shape, path)
    if (other !== path) throw new Error(`The paths ${other} and ${path} differ only in the names of their parameters.`)
    const methods = paths[path] ?? {}
    paths[path] = methods
    if (method in methods) throw new Error(`Two operations have the route ${key}.`)
    methods[method] = {
      ...more,
      responses: { default: { description: key } },
      'x-amazon-apigateway-integration': {
        type: 'AWS_PROXY',
        httpMethod: 'POST',
        payloadFormatVersion: '2.0',
        uri,
        credentials: invokerArn,
      },
    }
  }
  const servers = [{ url: '/', 'x-amazon-apigateway-endpoint-configuration': endpoint }]
  return { openapi: '3.0.1', info: { title, version: '1' }, servers, paths }
}
