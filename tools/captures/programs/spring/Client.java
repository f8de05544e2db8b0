package client;

import io.opentelemetry.sdk.trace.SdkTracerProvider;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** One call of a model by Spring AI, exported as Spring Boot does. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class Client {
  public static void main(String[] args) {
    var env = System.getenv();
    var app = new SpringApplication(Client.class);
    app.setDefaultProperties(Map.of(
        "spring.main.web-application-type", "none",
        "spring.application.name", "support-bot",
        "spring.ai.openai.api-key", "sk-capture",
        "spring.ai.openai.base-url", env.get("PROVIDER_URL"),
        "spring.ai.openai.chat.options.model", "gpt-5.6",
        "management.tracing.sampling.probability", "1.0",
        "management.otlp.tracing.endpoint", env.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
        "management.opentelemetry.resource-attributes.[release_governance.release_id]", "rel_1",
        "management.opentelemetry.resource-attributes.[deployment.environment.name]", "prod"));
    try (var context = app.run(args)) {
      var chat = ChatClient.create(context.getBean(OpenAiChatModel.class));
      chat.prompt("Where is my order 4711?").call().content();
      context.getBean(SdkTracerProvider.class).forceFlush().join(10, TimeUnit.SECONDS);
    }
  }
}
