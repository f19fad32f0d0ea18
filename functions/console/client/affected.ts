/** Objects on which access depends. */
const decisive = ['actors', 'groups', 'memberships', 'policies', 'resources', 'sites', 'gateways', 'clients']

/** True if the query of a route can show an object of the change log (L6.2). Of the logs, a change concerns only its own one. */
export const isAffected = (route: string, object: string, query: { type?: unknown } = {}): boolean =>
  (route === 'GET /logs' && query.type === 'change') ||
  /\/(overview|search|names)\b/.test(route) ||
  route.includes(`/${object.replace('static_device_', '')}`) ||
  (route.includes('/access/') && decisive.includes(object))
