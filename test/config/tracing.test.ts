import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { ConfigError } from '../../src/config/faults.ts'

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' }

suite('the OTEL_* variables', () => {
  test('turn tracing on with an exporter or an endpoint, and off again', () => {
    const isOn = (env: Record<string, string>) => readConfig(env).tracing !== undefined
    assert.equal(isOn({}), false)
    assert.equal(isOn({ OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' }), false)
    assert.equal(isOn({ OTEL_TRACES_EXPORTER: 'otlp' }), true)
    assert.equal(isOn(endpoint), true)
    assert.equal(isOn({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector.example/v1/traces' }), true)
    assert.equal(isOn({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }), false)
    assert.equal(isOn({ ...endpoint, OTEL_SDK_DISABLED: 'true' }), false)
  })

  test("choose the sampler: by default a tenth of the traces, and the caller's decision wins", () => {
    const sampler = (name?: string, arg?: string) =>
      readConfig({
        ...endpoint,
        ...(name && { OTEL_TRACES_SAMPLER: name }),
        ...(arg && { OTEL_TRACES_SAMPLER_ARG: arg }),
      }).tracing?.sampler
    assert.deepEqual(sampler(), { ratio: 0.1, parentBased: true })
    assert.deepEqual(sampler('always_on', '0.1'), { ratio: 1, parentBased: false })
    assert.deepEqual(sampler('always_off'), { ratio: 0, parentBased: false })
    assert.deepEqual(sampler('traceidratio', '0.25'), { ratio: 0.25, parentBased: false })
    assert.deepEqual(sampler('traceidratio'), { ratio: 0.1, parentBased: false })
    assert.deepEqual(sampler('parentbased_always_off'), { ratio: 0, parentBased: true })
    assert.deepEqual(sampler('parentbased_traceidratio', '.5'), { ratio: 0.5, parentBased: true })
  })

  test('configure the batches of spans', () => {
    assert.deepEqual(readConfig({ ...endpoint, OTEL_BSP_SCHEDULE_DELAY: '1000' }).tracing?.batch, {
      scheduledDelayMillis: 1000,
      exportTimeoutMillis: undefined,
      maxQueueSize: undefined,
      maxExportBatchSize: undefined,
    })
  })

  for (const [name, value] of [
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector.example:4318'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_TRACES_SAMPLER', 'often'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', '-1'],
    ['OTEL_SDK_DISABLED', 'yes'],
    ['OTEL_BSP_MAX_QUEUE_SIZE', 'many'],
  ] as const) {
    test(`refuse ${name}=${value} like any other bad value`, () => {
      assert.throws(
        () => readConfig({ [name]: value }),
        (error) => error instanceof ConfigError && error.faults.length === 1 && error.faults[0]?.startsWith(name),
      )
    })
  }
})
