import { Duration } from 'aws-cdk-lib'
import { Architecture, type Code, type FunctionProps, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import type { LoadedCode } from '../code/loaded-code.ts'

export type Shared = {
  environment: Record<string, string>
  logGroup: ILogGroup
  tracing: boolean
  /** What each function can load of the bundle. */
  loaded: LoadedCode
}

/** A whole CPU: what a call takes times what it costs is least with it (docs/costs.md). */
const memoryMb = 1_769

/** What all functions have in common; all have one environment, so that one process can stand for them on one machine. */
export const functionSettings = (
  { environment, logGroup, tracing }: Shared,
  code: Code,
  file: string,
): FunctionProps => ({
  runtime: Runtime.NODEJS_24_X,
  architecture: Architecture.ARM_64,
  code,
  handler: `${file.replace(/\.ts$/, '')}.handler`,
  environment,
  logGroup,
  ...(tracing && { tracing: Tracing.ACTIVE }),
  memorySize: memoryMb,
  timeout: Duration.seconds(29),
})
