const decode = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** Path by which API Gateway chooses the route, still encoded once, and the path that it hands to the function. */
export type DeliveredPath = { routed: string; rawPath: string }

/**
 * The path of a request as an HTTP API treats it: decoded, cut off at a `?`, and decoded again. Captures of real requests show that
 * (docs/decisions/0033). Null where API Gateway answers 400, because an encoding is broken.
 */
export function deliveredPath(sent: string): DeliveredPath | null {
  const routed = decode(sent)?.split('?')[0]
  const rawPath = routed === undefined ? null : decode(routed)
  return routed === undefined || rawPath === null ? null : { routed, rawPath }
}
