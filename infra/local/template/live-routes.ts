import type { LiveRoute } from '../live/live-event.ts'
import { type Invoked, integratedArn, invocationsOf } from './routes.ts'
import type { Found } from './stack.ts'

/** The function of each route of the channel; `answers` where what it returns is sent to the device. */
export type LiveRoutes = Record<LiveRoute, { functionArn: string; answers: boolean }>

const wanted: LiveRoute[] = ['$connect', '$default', '$disconnect']

/** Reads the routes of the WebSocket API; null where the app has none. */
export function readLiveRoutes(all: Found[], invoked: Invoked): LiveRoutes | null {
  const [api] = all.filter(
    ({ type, stack, properties }) =>
      type === 'AWS::ApiGatewayV2::Api' && stack.resolve(properties.ProtocolType) === 'WEBSOCKET',
  )
  if (!api) return null
  const invokers = all.filter(({ type }) => type === 'AWS::IAM::Role')
  const ofApi = (kind: string) =>
    all
      .filter(({ type }) => type === `AWS::ApiGatewayV2::${kind}`)
      .map(({ stack, id, properties }) => ({ id: stack.physicalId(id), settings: stack.resolveEach(properties) }))
      .filter(({ settings }) => settings.ApiId === api.stack.physicalId(api.id))
  const [routes, integrations, responses] = [ofApi('Route'), ofApi('Integration'), ofApi('RouteResponse')]
  const readRoute = (key: LiveRoute) => {
    const route = routes.find(({ settings }) => settings.RouteKey === key)
    const integration = integrations.find(({ id }) => route?.settings.Target === `integrations/${id}`)
    if (!route || !integration) throw new Error(`The live channel has no route ${key}.`)
    const { IntegrationType, IntegrationUri, CredentialsArn } = integration.settings
    if (IntegrationType !== 'AWS_PROXY') throw new Error(`The route ${key} is no Lambda proxy.`)
    const arn = integratedArn(IntegrationUri)
    const functionArn = arn && invoked(arn)
    if (!functionArn) throw new Error(`The route ${key} leads to no function.`)
    const invoker = invokers.find(({ stack, id }) => stack.arn(id) === CredentialsArn)
    if (!invoker || !invocationsOf(invoker).has(arn)) {
      throw new Error(`The route ${key} has no role that may invoke its function.`)
    }
    const selected = route.settings.RouteResponseSelectionExpression === '$default'
    return { functionArn, answers: selected && responses.some(({ settings }) => settings.RouteId === route.id) }
  }
  return Object.fromEntries(wanted.map((key) => [key, readRoute(key)])) as LiveRoutes
}
