// The header as a program in C++ uses it: contexts in smart pointers, containers as buffers.
#include <ciphertune.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

template <auto free>
struct Free {
    template <typename T>
    void operator()(T *context) const { free(context); }
};
using Gcm = std::unique_ptr<ciphertune_gcm, Free<ciphertune_gcm_free>>;

static_assert(std::is_standard_layout_v<ciphertune_cbc_message> && std::is_trivial_v<ciphertune_cbc_message>);

int main()
{
    const std::array<unsigned char, 32> key{};
    const std::string nonce(12, '\0'), text = "attack at dawn";
    std::vector<char> sealed(text.size() + CIPHERTUNE_BLOCK), opened(text.size());

    ciphertune_gcm *made = nullptr;
    if (ciphertune_gcm_new(&made, key.data(), key.size(), CIPHERTUNE_BLOCK) != CIPHERTUNE_OK)
        return 1;
    const Gcm gcm{made};
    char *tag = sealed.data() + text.size();
    if (ciphertune_gcm_seal(gcm.get(), nonce.data(), nonce.size(), nullptr, 0, text.data(), sealed.data(), text.size(),
                            tag, CIPHERTUNE_BLOCK) != CIPHERTUNE_OK)
        return 2;
    const auto open = [&] {
        return ciphertune_gcm_open(gcm.get(), nonce.data(), nonce.size(), nullptr, 0, sealed.data(), opened.data(),
                                   opened.size(), tag, CIPHERTUNE_BLOCK);
    };
    if (open() != CIPHERTUNE_OK || std::string(opened.begin(), opened.end()) != text)
        return 3;
    sealed[0] = static_cast<char>(sealed[0] ^ 1);
    if (open() != CIPHERTUNE_E_NOT_AUTHENTIC || std::string(ciphertune_message()).empty())
        return 4;
    std::printf("libciphertune %s\n", ciphertune_version());
}
