import type { Words } from './shell.ts'

/** Returns the faults in a command that AWS would accept, but that would lose data or a response. */
export function checkOperatorCommand(words: Words): string[] {
  const value = (option: string): string => words[words.indexOf(option, 2) + 1] ?? ''
  const has = (option: string): boolean => words.includes(option)
  const typed = words.length > 2
  const objections: string[] = []
  switch (typed ? words.slice(0, 2).join(' ') : '') {
    case 'lambda create-event-source-mapping':
      // Without `--function-response-types`, AWS Lambda ignores the failures that consumers report in their response.
      if (value('--function-response-types') !== 'ReportBatchItemFailures')
        objections.push('a mapping without --function-response-types ReportBatchItemFailures drops failed records')
      break
    case 'lambda delete-event-source-mapping':
      if (!/\btemporary\b/.test(value('--uuid')))
        objections.push('CloudFormation does not recreate a mapping of its own: only a temporary one is deleted')
      break
    case 'lambda list-event-source-mappings':
      // Requires the alias `current`, to which the mappings belong. The function name alone lists the mappings of the unpublished version.
      if (has('--function-name') && !/:current\b/.test(value('--function-name')))
        objections.push('mappings are listed by --event-source-arn or by <function>:current')
      break
    case 'cloudformation describe-stack-resources':
      if (!has('--logical-resource-id') && !has('--physical-resource-id'))
        objections.push('it shows 100 resources at most: list-stack-resources shows all')
      break
    case 'lambda invoke':
      if (value('--cli-read-timeout') !== '0')
        objections.push('a task is invoked with --cli-read-timeout 0; the CLI would repeat it after a minute')
      if (has('--payload') && value('--cli-binary-format') !== 'raw-in-base64-out')
        objections.push('a --payload in plain text needs --cli-binary-format raw-in-base64-out')
      break
  }
  return objections
}
