export async function localServers(): Promise<{
  timeSkippingServer: () => Promise<string>;
  mongodbUri: string;
  stop: () => Promise<void>;
}> {
  return {
    timeSkippingServer: async () => '/tmp/tst/run.sh',
    mongodbUri: 'mongodb://127.0.0.1:27117',
    stop: async () => undefined,
  };
}
