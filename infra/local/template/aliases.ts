import { fieldsOf } from '#shared/core/json/is-object.ts'
import type { Found, Stack } from './stack.ts'

/** The function of the version that an alias names. */
function functionOf(stack: Stack, version: unknown): unknown {
  const [id, attribute] = [fieldsOf(version)['Fn::GetAtt'] ?? []].flat()
  const { Type, Properties = {} } = stack.resource(String(id))
  if (Type !== 'AWS::Lambda::Version' || attribute !== 'Version') return undefined
  return stack.resolve(Properties.FunctionName)
}

/**
 * The function that each alias leads to, by the ARN of the alias. Here every version is the newest: there is one bundle.
 * @throws Error for an alias of one function that names the version of another
 */
export function readAliases(all: Found[]): Map<string, string> {
  return new Map(
    all
      .filter(({ type }) => type === 'AWS::Lambda::Alias')
      .map(({ stack, id, properties }) => {
        const arn = stack.physicalId(id)
        if (functionOf(stack, properties.FunctionVersion) !== stack.resolve(properties.FunctionName)) {
          throw new Error(`The alias ${id} names no version of its function.`)
        }
        return [arn, arn.slice(0, arn.lastIndexOf(':'))]
      }),
  )
}
